// @ts-check
/** Elements made by calls: nothing that comes from outside is ever read as markup. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Attributes */

/**
 * Set attributes: `class`, `on…` listeners, `text`, booleans as present or absent, the others as they are.
 * @param {Element} element @param {Attributes} attributes
 */
function dress(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  dress(element, attributes);
  for (const child of children) if (child || child === 0) element.append(child instanceof Node ? child : String(child));
  return element;
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  dress(element, attributes);
  for (const child of children) if (child || child === 0) element.append(child instanceof Node ? child : String(child));
  return element;
}

/** Whether a key press belongs to a field that is being written or chosen in. @param {EventTarget | null} target */
export function isWriting(target) {
  if (target instanceof HTMLInputElement && target.type === "checkbox") return false;
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Whether a key press is the page's: nobody writes, no other key is held, no dialog is open. @param {KeyboardEvent} event */
export function isForPage(event) {
  const held = event.ctrlKey || event.metaKey || event.altKey;
  return !held && !isWriting(event.target) && !document.querySelector("dialog[open]");
}
