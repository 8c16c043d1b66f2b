// Drawing for both components. Text reaches the page through textContent alone, so that whatever a
// response holds (markup, LaTeX, emoji codes, either direction of writing) is shown as it stands.

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};

const said = (tag, className, text) => element(tag, { class: className, dir: "auto", text });

// A researcher's text: blank lines part paragraphs, lines that begin with "- " are a list.
const paragraphs = (text) => {
  const box = element("div", { class: "prose" });
  for (const block of text.replace(/\r/g, "").split(/\n\s*\n/)) {
    const lines = block.split("\n").filter((line) => line.trim());
    if (!lines.length) continue;
    const isList = lines.every((line) => /^\s*[-•]\s+/.test(line));
    if (isList) {
      const list = element("ul");
      for (const line of lines) list.append(said("li", "", line.replace(/^\s*[-•]\s+/, "")));
      box.append(list);
    } else box.append(said("p", "", lines.join("\n")));
  }
  return box;
};

const bubbles = (turns, texts) => {
  const list = element("ol", { class: "turns" });
  turns.forEach((turn, i) => {
    const isSpeaker = i % 2 === 0;
    list.append(
      element(
        "li",
        { class: `turn ${isSpeaker ? "speaker" : "listener"}` },
        element("span", { class: "who", text: texts[isSpeaker ? "reading.speaker" : "reading.listener"] }),
        said("p", "said", turn || texts["reading.empty"]),
      ),
    );
  });
  return list;
};

const cards = (responses, texts, level = "h3") => {
  const box = element("div", { class: `cards n${responses.length}` });
  responses.forEach((response, i) => {
    const isPair = responses.length > 1;
    const name = isPair ? texts[i ? "reading.reply_second" : "reading.reply_first"] : texts["reading.reply"];
    const title = element(level, { class: "card-title", text: name });
    if (isPair) {
      const place = texts[i ? "reading.second" : "reading.first"];
      title.append(element("span", { class: "place", text: ` (${place})` }));
    }
    box.append(element("section", { class: "card" }, title, said("p", "said", response || texts["reading.empty"])));
  });
  return box;
};

const examples = (given, texts) => {
  const box = element("div", { class: "examples" });
  given.forEach((example, i) => {
    const title = element("h3", { text: texts["instructions.example"].replace("{n}", i + 1) });
    const answers = element("dl", { class: "answers" });
    for (const [prompt, answer] of example.answers) answers.append(said("dt", "", prompt), said("dd", "", answer));
    const one = element("article", { class: "example" }, title);
    if (example.turns.length) one.append(bubbles(example.turns, texts));
    one.append(cards(example.responses, texts, "h4"));
    if (example.answers.length) one.append(element("h4", { text: texts["reading.answers"] }), answers);
    if (example.explanation) {
      one.append(element("h4", { text: texts["reading.why"] }), said("p", "why", example.explanation));
    }
    box.append(one);
  });
  return box;
};
