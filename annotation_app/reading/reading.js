const SECONDS = 10;
const leaving = new WeakMap();
const drawnIn = new WeakMap();

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector("#reading");
  const drawn = JSON.stringify(data);
  if (drawnIn.get(box) !== drawn) {
    drawnIn.set(box, drawn);
    const notes = data.notes.length
      ? element(
          "aside",
          { class: "notes", "aria-label": data.notes_heading },
          element("h3", { text: data.notes_heading }),
          element("ul", {}, ...data.notes.map((note) => said("li", "", note))),
        )
      : null;
    const shown = data.examples.length ? element("h2", { text: data.texts["instructions.examples"] }) : null;
    box.replaceChildren(
      ...[
        data.heading ? element("h2", { text: data.heading }) : null,
        data.text ? paragraphs(data.text) : null,
        notes,
        shown,
        data.examples.length ? examples(data.examples, data.texts) : null,
      ].filter(Boolean),
    );
  }
  if (data.redirect && !leaving.has(parentElement)) {
    leaving.set(parentElement, setTimeout(() => window.location.assign(data.redirect), SECONDS * 1000));
  }
}
