// SPDX-FileCopyrightText: The inertia_tools authors
// SPDX-License-Identifier: Apache-2.0
// The page: robots and links are chosen, tables sorted and filtered, the picture follows.
"use strict";

const SEVERITIES = ["ok", "info", "warning", "error"];
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);

const page = { robot: null, link: null, viewer: null, rows: [] };

function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

// What is chosen stands in the address, so that it can be passed on: #robot=0&link=base&alone=1&theme=dark
function wishes() {
  return new URLSearchParams(location.hash.slice(1));
}

function remember(changes) {
  const now = wishes();
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === "") now.delete(key);
    else now.set(key, value);
  }
  history.replaceState(null, "", now.size ? `#${now}` : location.pathname + location.search);
}

// Themes

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  if (!page.viewer) return;
  page.viewer.theme = theme;
  page.viewer.redraw();
  drawThumbnails();
}

// Tables

function sortKey(cell, kind) {
  if (kind === "number") return Number(cell.dataset.value ?? cell.textContent);
  if (kind === "severity") return -SEVERITIES.indexOf(cell.closest("tr").dataset.severity);
  const text = cell.textContent.trim();
  return kind === "place" ? text.replace(/\d+$/, (digits) => digits.padStart(9, "0")) : text.toLowerCase();
}

function sortBy(header) {
  const table = header.closest("table");
  const column = [...header.parentNode.children].indexOf(header);
  const isUp = header.getAttribute("aria-sort") !== "ascending";
  all("th", table).forEach((other) => other.removeAttribute("aria-sort"));
  header.setAttribute("aria-sort", isUp ? "ascending" : "descending");
  const keyed = all("tbody tr", table).map((row) => [sortKey(row.children[column], header.dataset.kind), row]);
  const compared = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));
  keyed.sort(([a], [b]) => (isUp ? compared(a, b) : compared(b, a)));
  one("tbody", table).append(...keyed.map(([, row]) => row));
}

function filterFindings(panel) {
  const isOn = (chip) => chip.getAttribute("aria-pressed") === "true";
  const shown = new Set(all(".chip[data-severity]", panel).filter(isOn).map((chip) => chip.dataset.severity));
  const withExplained = isOn(one(".chip[data-explained]", panel));
  const word = one("input", panel).value.trim().toLowerCase();
  let count = 0;
  for (const row of all("tbody tr", panel)) {
    const passes = shown.has(row.dataset.severity) && (withExplained || !("explained" in row.dataset));
    row.hidden = !(passes && row.textContent.toLowerCase().includes(word));
    count += !row.hidden;
  }
  const empty = one(".empty", panel);
  if (empty) empty.hidden = count > 0;
}

// Robots and links

async function chooseRobot(index) {
  const robots = all("article.robot");
  page.robot = robots[index] ?? robots[0];
  if (!page.robot) return;
  robots.forEach((robot) => (robot.hidden = robot !== page.robot));
  all("#overview tbody tr").forEach((row) => row.classList.toggle("on", row.dataset.robot === String(index)));
  page.rows = JSON.parse(one("script.rows", page.robot).textContent);
  one(".place", page.robot).append(one("#stage"));
  one("#stage").hidden = false;
  filterFindings(one(".findings", page.robot));
  if (page.viewer) {
    await page.viewer.load(JSON.parse(one("script.scene", page.robot).textContent));
    drawThumbnails();
  }
  chooseLink(null);
}

function chooseLink(name, { isFromPicture = false } = {}) {
  page.link = page.rows.find((row) => row.name === name) ?? null;
  const viewer = page.viewer;
  if (viewer) {
    const wasAlone = viewer.alone;
    viewer.choose(page.link?.name ?? null);
    if (wasAlone) viewer.fit();
  }
  all("tr[data-link]", page.robot).forEach((row) => row.classList.toggle("on", row.dataset.link === page.link?.name));
  remember({ link: page.link?.name ?? null, alone: viewer?.alone ? "1" : null });
  inspect();
  if (page.link && !isFromPicture) one("#stage").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function setAlone(isAlone) {
  if (!page.viewer) return;
  page.viewer.alone = isAlone;
  page.viewer.fit();
  remember({ alone: isAlone ? "1" : null });
  inspect();
}

// The panel beside the picture

function inspect() {
  const panel = one("#inspector");
  panel.replaceChildren(...(page.link ? aboutLink(page.link) : aboutRobot()));
  caption();
}

// What the picture shows, in words.
function caption() {
  const { viewer } = page;
  if (!viewer) return;
  const parts = [viewer.alone ? page.link.name : `grid ${Number(viewer.cell.toPrecision(3))} m`];
  if (viewer.tooLarge) parts.push(`${viewer.tooLarge} inertia${viewer.tooLarge > 1 ? "s" : ""} left out: larger than the ${viewer.alone ? "picture" : "robot's parts"}`);
  one("#caption").textContent = parts.join(" · ");
}

function aboutRobot() {
  const parts = [element("h2", "", "Choose a link"), element("p", "muted", "Click it in the picture, in a finding or in the tables.")];
  const groups = [
    ["Corrected", page.rows.filter((row) => row.is_changed)],
    ["With errors left as they are", page.rows.filter((row) => row.severity === "error" && !row.is_changed)],
    ["With warnings", page.rows.filter((row) => row.severity === "warning" && !row.is_changed)],
    ["Without findings", page.rows.filter((row) => row.severity === "ok" && !row.is_changed)],
  ];
  for (const [title, rows] of groups.filter(([, rows]) => rows.length)) {
    const list = element("div", "list");
    for (const row of rows) list.append(pill(row.name, () => chooseLink(row.name)));
    parts.push(element("h3", "", `${title} (${rows.length})`), list);
  }
  parts[1].style.marginBottom = "14px";
  return parts;
}

function pill(text, work) {
  const made = element("button", "pill", text);
  made.type = "button";
  made.addEventListener("click", work);
  return made;
}

function aboutLink(row) {
  const badges = element("div", "row");
  badges.append(element("span", `badge ${row.severity}`, row.severity));
  if (row.is_changed) badges.append(element("span", "badge ok", "corrected"));
  if (page.viewer) {
    const alone = pill(page.viewer.alone ? "show all" : "show alone", () => setAlone(!page.viewer.alone));
    badges.append(alone);
  }
  badges.append(pill("back", () => chooseLink(null)));
  const parts = [element("h2", "", row.name), badges];
  if (row.reason) parts.push(element("p", "", row.reason));
  parts.push(numbersOf(row), ...findingsOf(row.name));
  return parts;
}

function numbersOf(row) {
  const names = ["mass [kg]", "com x [m]", "y", "z", "ixx [kg m²]", "ixy", "ixz", "iyy", "iyz", "izz", "moments [kg m²]", "", ""];
  const list = (numbers, moments) => [...numbers[0], ...numbers[1], ...moments];
  const none = ["", "", ""];
  const after = list(row.after, row.moments_after);
  const columns = [["after", after], ["even solid", list(row.solid, none)]];
  if (row.is_changed) columns.unshift(["before", list(row.before, row.moments_before)]);
  else columns[0][0] = "as declared";
  const [table, head, body] = [element("table"), element("thead"), element("tbody")];
  const titles = element("tr");
  titles.append(element("th"), ...columns.map(([title]) => element("th", "", title)));
  titles.lastChild.title = "The geometry of the link, evenly filled, at the mass of the link";
  head.append(titles);
  names.forEach((name, index) => {
    const line = element("tr", [1, 4, 10].includes(index) ? "gap" : "");
    line.append(element("td", "", name));
    for (const [title, values] of columns) {
      const isOther = row.is_changed && columns[0][1][index] !== after[index];
      const tone = isOther ? { before: "replaced", after: "differs" }[title] : "";
      line.append(element("td", tone ?? "", values[index]));
    }
    body.append(line);
  });
  table.append(head, body);
  return table;
}

function findingsOf(name) {
  const rows = all(".findings tbody tr", page.robot).filter((row) => row.dataset.link === name);
  return rows.map((row) => {
    const entry = element("div", "entry");
    const [, , message, code, place, remedy] = row.children;
    const title = element("div", "row");
    title.append(element("span", `badge ${row.dataset.severity}`, row.dataset.severity), element("code", "", code.textContent), element("span", "muted", place.textContent));
    entry.append(title, element("p", "", message.textContent.trim()), element("p", "muted", `Fix: ${one(".remedy", remedy).textContent}`));
    return entry;
  });
}

// Pictures in the table of links are drawn when they come into sight.

const sights = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    page.viewer.thumbnail(target.dataset.thumbnail, target);
    sights.unobserve(target);
  }
}, { rootMargin: "200px" });

function drawThumbnails() {
  sights.disconnect();
  if (page.viewer && page.robot) all("[data-thumbnail]", page.robot).forEach((canvas) => sights.observe(canvas));
}

// Everything that can be clicked at

function listen() {
  all(".sortable th button").forEach((button) => button.addEventListener("click", () => sortBy(button.closest("th"))));
  for (const row of all(".choices tbody tr")) {
    const work = () => (row.dataset.robot ? openRobot(Number(row.dataset.robot)) : chooseLink(row.dataset.link));
    row.addEventListener("click", work);
    row.addEventListener("keydown", (event) => event.key === "Enter" && work());
  }
  for (const panel of all(".findings")) {
    one("input", panel).addEventListener("input", () => filterFindings(panel));
    for (const chip of all(".chip", panel)) {
      chip.addEventListener("click", () => {
        chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
        filterFindings(panel);
      });
    }
  }
  one("#theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    remember({ theme });
    setTheme(theme);
  });
  for (const box of all("[data-layer]")) {
    box.addEventListener("change", () => {
      page.viewer.layers[box.dataset.layer] = box.checked;
      page.viewer.redraw();
      caption();
    });
  }
  one("#opacity").addEventListener("input", ({ target }) => {
    page.viewer.opacity = Number(target.value);
    page.viewer.redraw();
  });
  all("[data-look]").forEach((button) => button.addEventListener("click", () => page.viewer.look(button.dataset.look)));
}

async function openRobot(index) {
  remember({ robot: index || null, link: null, alone: null });
  await chooseRobot(index);
}

async function begin() {
  const wished = wishes();
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  setTheme(wished.get("theme") ?? system);
  try {
    page.viewer = new Viewer(one("#canvas"), (name) => chooseLink(name, { isFromPicture: true }));
    page.viewer.theme = document.documentElement.dataset.theme;
  } catch (error) {
    one("#fallback").textContent = `There is no picture: ${error.message}. The tables are complete.`;
    one("#fallback").hidden = false;
  }
  listen();
  await chooseRobot(Number(wished.get("robot") ?? 0));
  if (wished.get("link")) chooseLink(wished.get("link"));
  if (wished.get("alone") && page.link) setAlone(true);
  if (wished.get("look") in DIRECTIONS && page.viewer) page.viewer.look(wished.get("look"));
  document.documentElement.dataset.ready = "yes";
}

begin();
