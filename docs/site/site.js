/* Search of the site. The index is a script, search_index.js: pages in files cannot load data. */
"use strict";

const form = document.getElementById("search");
const input = form.querySelector("input");
const results = document.getElementById("results");
const most_results = 30;
let index = null; /* the entries, once search_index.js is loaded */

/* Called by search_index.js. */
function take_index(entries) {
    index = entries.map(([page, title, url, text, is_function]) => ({
        page, title, url, text, is_function,
        title_lower: `${page} ${title}`.toLowerCase(),
        text_lower: text.toLowerCase(),
    }));
    show();
}

function load_index() {
    if (document.getElementById("index") === null) {
        const script = document.createElement("script");
        script.id = "index";
        script.src = "search_index.js";
        document.head.append(script);
    }
}

/* 0: the entry lacks a word. Functions come before headings, headings before text, and the whole
   query before its single words. */
function score(entry, words, query) {
    if (!words.every((word) => entry.title_lower.includes(word) || entry.text_lower.includes(word)))
        return 0;
    if (entry.is_function && entry.title.toLowerCase() === query)
        return 7;
    const boost = entry.is_function ? 1 : 0;
    if (entry.title_lower.includes(query))
        return 5 + boost;
    if (words.every((word) => entry.title_lower.includes(word)))
        return 3 + boost;
    return entry.text_lower.includes(query) ? 2 : 1;
}

function find(query) {
    const words = query.split(" ");
    return index
        .map((entry) => [score(entry, words, query), entry])
        .filter(([points]) => points > 0)
        .sort(([a, x], [b, y]) => b - a || (a > 2 ? x.title.length - y.title.length : 0))
        .map(([, entry]) => entry);
}

function element(name, text, parent) {
    const made = document.createElement(name);
    made.textContent = text;
    parent.append(made);
    return made;
}

/* A text in which the first of the strings that it has is marked. */
function add_marked(text, strings, parent) {
    const lower = text.toLowerCase();
    const string = strings.find((each) => lower.includes(each)) ?? "";
    const at = lower.indexOf(string);
    parent.append(text.slice(0, at));
    if (string !== "")
        element("mark", text.slice(at, at + string.length), parent);
    parent.append(text.slice(at + string.length));
}

/* The text around what was found. For a function that is found by its name, the beginning of the
   text, which says what it does. */
function add_excerpt(entry, strings, parent) {
    const string = strings.find((each) => entry.text_lower.includes(each));
    const is_named = entry.is_function && entry.title_lower.includes(strings[0]);
    const at = string === undefined || is_named ? 0 : entry.text_lower.indexOf(string);
    const begin = at < 60 ? 0 : entry.text.indexOf(" ", at - 60) + 1;
    const end = entry.text.indexOf(" ", at + 120);
    const text = entry.text.slice(begin, end < 0 ? undefined : end);
    const line = element("span", "", parent);
    add_marked((begin > 0 ? "… " : "") + text + (end < 0 ? "" : " …"), strings, line);
}

function show() {
    const query = input.value.toLowerCase().trim().replace(/\s+/g, " ");
    results.hidden = query === "";
    results.replaceChildren();
    if (query === "" || index === null)
        return;
    const found = find(query);
    const count = found.length === 1 ? "1 result" : `${found.length} results`;
    const is_cut = found.length > most_results;
    element("p", is_cut ? `${count}, the first ${most_results}:` : count, results);
    const strings = [query, ...query.split(" ").sort((a, b) => b.length - a.length)];
    for (const entry of found.slice(0, most_results)) {
        const link = element("a", "", results);
        link.href = entry.url;
        add_marked(entry.title, strings, element("b", "", link));
        if (entry.page !== entry.title)
            element("small", entry.page, link);
        add_excerpt(entry, strings, link);
    }
}

function close() {
    input.value = "";
    input.blur();
    show();
}

form.hidden = false;
input.addEventListener("focus", load_index);
input.addEventListener("input", show);
form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelector("a")?.click();
});
/* A result on this page leaves it as it is. */
results.addEventListener("click", close);
document.addEventListener("click", (event) => {
    if (!form.contains(event.target))
        results.hidden = true;
});
document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
        close();
    } else if (event.key === "/" && !event.target.matches("input, textarea")) {
        event.preventDefault();
        input.focus();
    }
});

/* PAGE?q=WORDS searches at once. */
const asked = new URLSearchParams(location.search).get("q");
if (asked !== null) {
    input.value = asked;
    load_index();
}
