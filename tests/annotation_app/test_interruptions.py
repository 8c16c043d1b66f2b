"""Reloads, other tabs, lost connections and crashes: what somebody typed is still there."""

from __future__ import annotations

from typing import Any


def wait_for_draft(page: Any) -> None:
    """Longer than a form waits before it sends what stands in it."""
    page.wait_for_timeout(1500)


def test_a_reload_leads_back_to_the_same_item_with_its_draft(person: Any, page: Any) -> None:
    """Reload, and a second tab: the same dialogue, with what was chosen and typed."""
    person.come().answer(4)
    page.locator("#comment").fill("half a thought")
    chosen, dialogue = person.chosen(), page.locator("#turns").inner_text()
    wait_for_draft(page)
    page.reload()
    person.see_item()
    assert (chosen, dialogue) == (person.chosen(), page.locator("#turns").inner_text())
    assert "half a thought" == page.locator("#comment").input_value()
    second = page.context.new_page()
    second.goto(person.link)
    second.wait_for_selector("#submit")
    assert dialogue == second.locator("#turns").inner_text()
    assert "half a thought" == second.locator("#comment").input_value()
    second.locator("#submit").click()
    second.get_by_text("1 of ").wait_for()
    person.submit().has(1)
    assert [1] == [one["revision"] for one in person.ratings()]


def test_the_browsers_back_button_hands_in_nothing(person: Any, page: Any) -> None:
    """Back leaves the page; coming forward again shows the same item."""
    page.goto("about:blank")
    person.come().answer(2)
    dialogue = page.locator("#turns").inner_text()
    wait_for_draft(page)
    page.go_back()
    assert [] == person.ratings()
    page.go_forward()
    person.see_item()
    assert dialogue == page.locator("#turns").inner_text()
    assert [] != person.chosen()


def test_an_answer_given_without_network_is_sent_when_it_is_back(person: Any, page: Any) -> None:
    """Offline, the form keeps the input and says so; online again, it is saved once."""
    person.come().answer(5)
    page.context.set_offline(True)
    page.get_by_text("You are offline").wait_for()
    page.locator("#comment").fill("written without network")
    page.locator("#submit").click()
    page.get_by_text("Not saved yet").wait_for()
    page.wait_for_timeout(1000)
    assert [] == person.ratings()
    page.context.set_offline(False)
    person.has(1)
    assert ["written without network"] == [one["comment"] for one in person.ratings()]


def test_an_answer_given_while_the_server_is_down_is_sent_when_it_is_up(
    serve: Any, page: Any, person_of: Any
) -> None:
    """A crash between reading and handing in costs nothing, not even the text on the screen."""
    study = serve(consent=None, demographics=[], content_notes=[])
    me = person_of(study).come()
    me.answer(3)
    study.stop()
    page.locator("#comment").fill("written into the void")
    page.locator("#submit").click()
    page.wait_for_timeout(500)
    study.start()
    me.has(1)
    assert ["written into the void"] == [one["comment"] for one in me.ratings()]


def test_an_answer_that_the_database_refuses_stays_in_the_form(serve: Any, page: Any, person_of: Any) -> None:
    """The form says that it is not saved, keeps what was typed, and hands it in by itself later."""
    from sqlalchemy import create_engine, text

    study = serve(consent=None, demographics=[], content_notes=[])
    me = person_of(study).come()
    engine = create_engine(f"sqlite:///{study.address}")
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE rater RENAME TO elsewhere"))
    me.answer(2)
    page.locator("#comment").fill("not lost")
    page.locator("#submit").click()
    page.get_by_text("because of a fault on our side").wait_for()
    assert "not lost" == page.locator("#comment").input_value()
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE elsewhere RENAME TO rater"))
    engine.dispose()
    me.has(1)
    assert ["not lost"] == [one["comment"] for one in me.ratings()]
