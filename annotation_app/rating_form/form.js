// The rating form: one item at a time, known by its token.
//
// Everything that is sent carries the token of the item on screen. From the moment of handing in until the next
// token arrives, the form takes no input, so a key can never reach an item that its rater has not seen. What was
// handed in and not answered is sent again; the server knows it by its token and keeps it once.

const DRAFT_MS = 800;
const RETRY_MS = [4000, 8000, 15000];
const AFTER_ONLINE_MS = 400;

const forms = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  if (!forms.has(parentElement)) forms.set(parentElement, new RatingForm(parentElement));
  const form = forms.get(parentElement);
  form.send = setTriggerValue;
  form.open();
  form.receive(data);
  const call = ++form.calls;
  // Streamlit also cleans up after a call that a later one has overtaken.
  return () => call === form.calls && form.close();
}

class RatingForm {
  constructor(root) {
    this.root = root;
    this.calls = 0;
    this.sequence = 0;
    this.token = null;
    this.pending = null;
    this.isOpen = false;
    this.at = (id) => root.querySelector(`#${id}`);
    this.listeners = [
      [document, "keydown", (event) => this.onKey(event)],
      [document, "visibilitychange", () => this.onVisibility()],
      [window, "pagehide", () => this.flushDraft()],
      [window, "offline", () => this.onConnection()],
      [window, "online", () => this.onConnection()],
      [document, "pointerdown", () => (this.byPointer = true), true],
      [document, "keydown", () => (this.byPointer = false), true],
    ];
    this.wire();
  }

  open() {
    if (this.isOpen) return;
    this.isOpen = true;
    for (const [target, name, listener, capture] of this.listeners) target.addEventListener(name, listener, capture);
  }

  close() {
    this.isOpen = false;
    clearTimeout(this.draftTimer);
    clearTimeout(this.retryTimer);
    for (const [target, name, listener, capture] of this.listeners) target.removeEventListener(name, listener, capture);
  }

  wire() {
    const form = this.at("form");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    form.addEventListener("change", (event) => this.onChange(event.target));
    form.addEventListener("input", (event) => event.target.matches("textarea") && this.onInput());
    form.addEventListener("focusin", (event) => {
      const question = event.target.closest("fieldset");
      if (question && !this.byPointer) this.mark(Number(question.dataset.index));
    });
    // A disabled radio would lose its focus, and a screen reader its place: input is refused instead.
    form.addEventListener("click", (event) => this.pending && !event.target.closest("#help") && event.preventDefault(), true);
    for (const action of ["skip", "back", "cancel"]) {
      this.at(action).addEventListener("click", () => this.act(action));
    }
    this.at("help").addEventListener("click", () => this.at("dialog").showModal());
    this.at("close").addEventListener("click", () => this.at("dialog").close());
  }

  // ------------------------------------------------------------------------------- what the server says

  receive(data) {
    this.data = data;
    if (data.token !== this.token) {
      this.settle();
      this.draw(data);
      return;
    }
    const reply = data.reply;
    if (this.pending && reply && reply.n === this.pending.value.n) {
      if (reply.state === "failed") {
        this.say(data.texts["item.failed"]);
        return; // it stays pending, and is sent again
      }
      this.settle();
      this.refuse(reply);
    }
  }

  settle() {
    clearTimeout(this.retryTimer);
    clearTimeout(this.draftTimer);
    this.pending = null;
    this.at("form").classList.remove("busy");
    this.at("form").removeAttribute("aria-busy");
    for (const box of this.root.querySelectorAll("textarea")) box.readOnly = false;
    this.say("");
  }

  refuse(reply) {
    const texts = this.data.texts;
    this.showProblems(reply.problems || {});
    this.say(texts[`item.${reply.state}`] || texts["item.not_now"]);
  }

  // ------------------------------------------------------------------------------------------ drawing

  draw(data) {
    const { texts } = data;
    const isFirst = this.token === null;
    this.at("item").hidden = false;
    this.token = data.token;
    this.shownAt = performance.now();
    this.firstInputMs = null;
    this.activeMs = 0;
    this.visibleSince = document.visibilityState === "visible" ? this.shownAt : null;
    this.dirty = false;
    this.drawTop(data, texts);
    this.at("dialogue-title").textContent = texts["reading.dialogue"];
    this.drawFacts(data, texts);
    this.at("turns").replaceChildren(bubbles(data.turns, texts));
    this.at("responses").replaceChildren(cards(data.responses, texts));
    this.drawForm(data, texts);
    this.onConnection();
    this.mark(this.firstOpen());
    if (this.at("dialog").open) this.at("dialog").close();
    // Keys must not go to a button of the screen before, which stays there for a moment.
    if (!data.is_preview) this.at("dialogue-title").focus({ preventScroll: true });
    if (!isFirst) this.at("item").scrollIntoView({ block: "start" });
  }

  drawTop(data, texts) {
    const progress = this.at("progress");
    progress.setAttribute("aria-label", texts["item.progress_name"]);
    progress.setAttribute("aria-valuemax", data.total);
    progress.setAttribute("aria-valuenow", data.done);
    this.at("bar").style.width = `${(100 * data.done) / Math.max(1, data.total)}%`;
    this.at("count").textContent = texts["item.progress"].replace("{done}", data.done).replace("{total}", data.total);
    const badge = this.at("badge");
    badge.hidden = !data.is_practice && !data.is_edit;
    badge.textContent = data.is_edit ? texts["item.edit"] : texts["item.practice"];
    this.at("help").textContent = texts["item.help"];
    this.at("dialog-title").textContent = texts["item.help"];
    this.at("close").textContent = texts["item.help_close"];
    this.at("instructions").replaceChildren(
      paragraphs(data.help.text),
      data.help.examples.length ? examples(data.help.examples, texts) : "",
    );
    const notice = this.at("notice");
    notice.className = `notice ${data.notice?.mood || ""}`;
    notice.replaceChildren(...(data.notice?.lines || []).map((line) => said("p", "", line)));
  }

  drawFacts(data, texts) {
    const facts = [
      ["reading.situation", data.situation],
      ["reading.emotion", data.emotion],
    ].filter(([, value]) => value);
    this.at("facts").hidden = !facts.length;
    this.at("facts").replaceChildren(
      ...facts.flatMap(([key, value]) => [element("dt", { text: texts[key] }), said("dd", "", value)]),
    );
  }

  drawForm(data, texts) {
    this.at("questions-title").textContent = texts["item.questions"];
    this.at("keys").textContent = texts["item.keys"];
    this.at("keys").hidden = !data.controls.some((control) => control.choices.some((choice) => choice.key));
    this.at("questions").replaceChildren(...data.controls.map((control, i) => this.question(control, i)));
    this.at("comment-label").textContent = texts["item.comment"];
    this.at("comment-hint").textContent = texts["item.comment_hint"];
    this.at("comment").value = data.comment;
    this.at("flag-label").textContent = texts["item.flag"];
    this.at("flag").checked = data.flagged;
    this.at("submit").textContent = texts[data.is_edit ? "item.save" : "item.submit"];
    for (const [id, isThere] of [
      ["skip", data.can_skip],
      ["back", data.can_go_back],
      ["cancel", data.is_edit],
    ]) {
      this.at(id).textContent = texts[`item.${id}`];
      this.at(id).hidden = !isThere;
    }
  }

  question(control, index) {
    const { texts, answers } = this.data;
    const legend = said("legend", "", control.prompt);
    if (!control.required) legend.append(element("span", { class: "optional", text: ` (${texts["item.optional"]})` }));
    const described = [`problem-${index}`, ...(control.definition ? [`definition-${index}`] : [])].join(" ");
    const box = element("fieldset", { "data-index": index, "aria-describedby": described }, legend);
    if (control.definition) {
      const definition = said("p", "definition", control.definition);
      definition.id = `definition-${index}`;
      box.append(definition);
    }
    const answer = answers[control.name];
    if (control.choices.length) box.append(this.choices(control, index, answer));
    else {
      const area = element("textarea", { rows: 2, maxlength: control.max_length, "aria-label": control.prompt });
      area.value = answer ?? "";
      box.append(area);
    }
    box.append(element("p", { class: "problem", id: `problem-${index}`, hidden: true }));
    return box;
  }

  choices(control, index, answer) {
    const isLikert = control.kind === "likert";
    const isWorded = control.choices.some((choice) => choice.label);
    const kinds = isLikert ? `choices likert${isWorded ? " worded" : ""}` : "choices";
    const box = element("div", { class: kinds, style: `--n: ${Math.min(control.choices.length, 11)}` });
    for (const choice of control.choices) {
      const radio = element("input", { type: "radio", name: `q${index}`, value: choice.value });
      radio.checked = answer !== undefined && String(answer) === choice.value;
      const label = element("label", { class: "choice" }, radio);
      if (isLikert) label.append(element("span", { class: "value", text: choice.value }));
      if (choice.label) label.append(said("span", "label", choice.label));
      if (!isLikert && choice.key) label.append(element("kbd", { text: choice.key, "aria-hidden": "true" }));
      box.append(label);
    }
    return box;
  }

  // ------------------------------------------------------------------------------------------ answers

  fieldset(index) {
    return this.at("questions").children[index];
  }

  answer(index) {
    const box = this.fieldset(index);
    const area = box.querySelector("textarea");
    return area ? area.value : (box.querySelector("input:checked")?.value ?? "");
  }

  isOpenQuestion(index) {
    return this.data.controls[index].required && !this.answer(index).trim();
  }

  firstOpen(after = -1) {
    const indices = this.data.controls.map((_, i) => i);
    const round = [...indices.slice(after + 1), ...indices.slice(0, after + 1)];
    return round.find((i) => this.isOpenQuestion(i)) ?? null;
  }

  values() {
    const answers = {};
    this.data.controls.forEach((control, i) => {
      const value = this.answer(i);
      if (value !== "") answers[control.name] = value;
    });
    return {
      token: this.token,
      answers,
      comment: this.at("comment").value,
      flagged: this.at("flag").checked,
    };
  }

  mark(index) {
    this.current = index;
    [...this.at("questions").children].forEach((box, i) => box.classList.toggle("current", i === index));
  }

  showProblems(problems) {
    this.data.controls.forEach((control, i) => {
      const text = problems[control.name] || "";
      const place = this.at(`problem-${i}`);
      place.textContent = text;
      place.hidden = !text;
      this.fieldset(i).classList.toggle("missing", Boolean(text));
    });
    const first = this.data.controls.findIndex((control) => problems[control.name]);
    if (first >= 0) this.focus(first);
  }

  focus(index) {
    const box = this.fieldset(index);
    this.mark(index);
    const field = box.querySelector("input:checked") || box.querySelector("input, textarea");
    field.focus({ preventScroll: true });
    box.scrollIntoView({ block: "nearest" });
  }

  say(text, calm = false) {
    const message = this.at("message");
    message.className = calm ? "message calm" : "message";
    if (message.textContent !== text) message.textContent = text;
  }

  // -------------------------------------------------------------------------------------------- input

  onChange(field) {
    if (field.type === "radio") {
      const index = Number(field.closest("fieldset").dataset.index);
      this.answered(index);
      if (this.byPointer) this.mark(this.firstOpen(index));
    }
    this.onInput();
  }

  answered(index) {
    const place = this.at(`problem-${index}`);
    place.hidden = true;
    place.textContent = "";
    this.fieldset(index).classList.remove("missing");
    if (this.firstOpen() === null) this.say("");
  }

  onInput() {
    if (this.pending) return;
    this.firstInputMs ??= Math.round(performance.now() - this.shownAt);
    this.dirty = true;
    clearTimeout(this.draftTimer);
    this.draftTimer = setTimeout(() => this.flushDraft(), DRAFT_MS);
  }

  onKey(event) {
    const target = event.composedPath()[0];
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || this.at("dialog").open) return;
    const isWriting = target.matches?.("textarea, select, input:not([type=radio]):not([type=checkbox]), [contenteditable]");
    if (isWriting) return;
    if (this.pending) {
      // What is typed now belongs to the item that was handed in.
      if (/^[0-9]$|^Enter$|^Arrow| /.test(event.key)) event.preventDefault();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey && !target.closest?.("button, a, summary")) {
      event.preventDefault();
      if (!event.repeat) this.submit();
    } else if (/^[0-9]$/.test(event.key) && !event.repeat && this.digit(event.key, target)) event.preventDefault();
  }

  digit(key, target) {
    const focused = target.closest?.("fieldset");
    const index = this.current ?? (focused ? Number(focused.dataset.index) : null);
    if (index === null) return false;
    const place = this.data.controls[index].choices.findIndex((choice) => choice.key === key);
    if (place < 0) return false;
    this.fieldset(index).querySelectorAll("input")[place].checked = true;
    this.answered(index);
    this.onInput();
    const next = this.firstOpen(index);
    if (next === null) {
      this.mark(null);
      this.at("submit").focus();
    } else this.focus(next);
    return true;
  }

  // ------------------------------------------------------------------------------------------ sending

  isComplete() {
    const open = this.data.controls.filter((_, i) => this.isOpenQuestion(i));
    if (!open.length) return true;
    const texts = this.data.texts;
    this.focus(this.data.controls.indexOf(open[0]));
    open.forEach((control) => this.fieldset(this.data.controls.indexOf(control)).classList.add("missing"));
    this.say(texts["item.missing"].replace("{questions}", open.map((control) => control.prompt).join(" · ")));
    return false;
  }

  submit() {
    if (!this.isComplete()) return;
    const since = this.visibleSince === null ? 0 : performance.now() - this.visibleSince;
    this.hand("submit", {
      ...this.values(),
      first_input_ms: this.firstInputMs,
      active_ms: Math.round(this.activeMs + since),
      client: { width: window.innerWidth, height: window.innerHeight, touch: navigator.maxTouchPoints > 0 },
    });
  }

  act(action) {
    this.hand(action, this.values());
  }

  hand(event, value) {
    if (this.pending) return;
    if (this.data.is_preview) {
      this.say(this.data.texts["item.preview"], true);
      return;
    }
    clearTimeout(this.draftTimer);
    this.dirty = false;
    this.sequence += 1;
    this.pending = { event, value: { ...value, n: `${Date.now().toString(36)}-${this.sequence}` }, tries: 0 };
    this.at("form").classList.add("busy");
    this.at("form").setAttribute("aria-busy", "true");
    for (const box of this.root.querySelectorAll("textarea")) box.readOnly = true;
    this.mark(null);
    this.say(this.data.texts["item.sending"], true);
    this.transmit();
  }

  transmit() {
    clearTimeout(this.retryTimer);
    const { pending } = this;
    if (!pending || !this.isOpen) return;
    if (!navigator.onLine || pending.tries) this.say(this.data.texts["item.not_saved"]);
    if (navigator.onLine) this.trigger(pending.event, pending.value);
    const wait = RETRY_MS[Math.min(pending.tries, RETRY_MS.length - 1)];
    pending.tries += 1;
    this.retryTimer = setTimeout(() => this.transmit(), wait);
  }

  trigger(event, value) {
    try {
      this.send(event, value);
      return true;
    } catch {
      return false; // no connection at this moment: it is sent again
    }
  }

  flushDraft() {
    clearTimeout(this.draftTimer);
    if (!this.dirty || this.pending || !this.isOpen || this.data.is_preview) return;
    if (navigator.onLine && this.trigger("draft", this.values())) this.dirty = false;
  }

  // ------------------------------------------------------------------------------- time and connection

  onVisibility() {
    if (document.visibilityState === "visible") this.visibleSince ??= performance.now();
    else {
      if (this.visibleSince !== null) this.activeMs += performance.now() - this.visibleSince;
      this.visibleSince = null;
      this.flushDraft();
    }
  }

  onConnection() {
    const texts = this.data.texts;
    const banner = this.at("banner");
    banner.hidden = navigator.onLine && !this.data.is_preview;
    banner.textContent = navigator.onLine ? (this.data.is_preview ? texts["item.preview"] : "") : texts["item.offline"];
    if (this.pending && !navigator.onLine) this.say(texts["item.not_saved"]);
    if (!navigator.onLine) return;
    clearTimeout(this.retryTimer);
    if (this.pending) this.retryTimer = setTimeout(() => this.transmit(), AFTER_ONLINE_MS);
    else if (this.dirty) this.draftTimer = setTimeout(() => this.flushDraft(), AFTER_ONLINE_MS);
  }
}
