"""The form about the rater."""

from __future__ import annotations

import streamlit as st

from annotation_app.texts import literal, text
from empeval.study.service.rater import RaterService
from empeval.study.service.views import AskForm, FormView

__all__ = ["draw"]


def draw(service: RaterService, access: str, view: AskForm, *, is_preview: bool = False) -> None:
    """Ask; nothing is chosen beforehand."""
    st.header(literal(text("form.heading")))
    st.text(text("form.intro"))
    problems = st.session_state.pop("form_problems", {})
    with st.form("about", border=False):
        for field in view.fields:
            _field(field)
            if field.name in problems:
                st.error(literal(problems[field.name]))
        st.form_submit_button(
            literal(text("form.submit")),
            type="primary",
            on_click=_hand_in,
            args=(service, access, view.fields),
            disabled=is_preview,
        )
    if problems:
        st.error(literal(text("form.incomplete")))


def _field(field: FormView) -> None:
    prompt = text("form.required", prompt=field.prompt) if field.required else field.prompt
    if field.kind == "choice":
        st.radio(
            literal(prompt),
            range(len(field.options)),
            index=None,
            format_func=lambda i: literal(field.options[i]),
            key=_key(field),
        )
    else:
        st.text_input(literal(prompt), key=_key(field), autocomplete="off")


def _key(field: FormView) -> str:
    return f"about-{field.name}"


def _hand_in(service: RaterService, access: str, fields: tuple[FormView, ...]) -> None:
    answers: dict[str, object] = {}
    for field in fields:
        value = st.session_state.get(_key(field))
        if field.kind == "choice" and isinstance(value, int) and 0 <= value < len(field.options):
            value = field.options[value]
        answers[field.name] = value
    if problems := service.answer_form(access, answers):
        st.session_state["form_problems"] = problems
