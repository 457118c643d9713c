"use strict";
const by = (id) => document.getElementById(id);
const list = by("list"), all = Array.from(list.children);
const choices = { severity: by("severity"), rule: by("rule"), file: by("file") };
const orders = {
  worst: (one) => Number(one.dataset.order),
  file: (one) => Number(one.dataset.byfile),
  rule: (one) => Number(one.dataset.byrule),
};
function matches(one) {
  const words = by("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = one.textContent.toLowerCase();
  return Object.entries(choices).every(([name, box]) => !box.value || one.dataset[name].split("\n").includes(box.value))
    && words.every((word) => text.includes(word));
}
function filter() {
  let shown = 0;
  for (const one of all) {
    one.hidden = !matches(one);
    shown += one.hidden ? 0 : 1;
  }
  by("count").textContent = `${shown} of ${all.length} shown`;
}
function sort() {
  const key = orders[by("sort").value];
  for (const one of all.slice().sort((left, right) => key(left) - key(right))) list.append(one);
}
for (const box of Object.values(choices)) box.addEventListener("change", filter);
by("search").addEventListener("input", filter);
by("sort").addEventListener("change", sort);
const form = document.querySelector(".filters");
form.addEventListener("reset", () => setTimeout(() => { filter(); sort(); }));
form.addEventListener("submit", (event) => event.preventDefault());
for (const button of document.querySelectorAll("[data-show]")) {
  button.addEventListener("click", () => {
    const [name, value] = button.dataset.show.split("=");
    choices[name].value = value;
    filter();
    by("findings").focus();
  });
}
function open() {
  const target = location.hash.length > 1 && by(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") target.open = true;
}
addEventListener("hashchange", open);
for (const link of document.querySelectorAll('a[href^="#rule-"]')) {
  link.addEventListener("click", () => { by(link.hash.slice(1)).open = true; });
}
form.hidden = all.length < 2;
open();
filter();
