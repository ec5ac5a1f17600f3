// @ts-check
// Shows openapi.json: every call with what it takes and gives, then the parts they are made of.

/** @typedef {Record<string, any>} Schema */

/**
 * @param {string} name
 * @param {string} [text]
 * @param {Record<string, string>} [attributes]
 * @returns {HTMLElement}
 */
function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A type in words; parts are linked. @param {Schema | undefined} schema @returns {Node[]} */
function type(schema) {
  if (!schema) return [document.createTextNode("nothing")];
  if (schema.$ref) {
    const name = String(schema.$ref).split("/").pop() ?? "";
    return [element("a", name, { href: `#${name}` })];
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    return choices.flatMap((/** @type {Schema} */ each, /** @type {number} */ index) =>
      index ? [document.createTextNode(" or "), ...type(each)] : type(each));
  }
  if (schema.enum) return [document.createTextNode(schema.enum.join(" | "))];
  if (schema.const !== undefined) return [document.createTextNode(JSON.stringify(schema.const))];
  if (schema.type === "array") return [document.createTextNode("list of "), ...type(schema.items)];
  if (schema.type === "object" && typeof schema.additionalProperties === "object") {
    return [document.createTextNode("by name: "), ...type(schema.additionalProperties)];
  }
  return [document.createTextNode(schema.type ?? "anything")];
}

/** @param {[string, Schema | undefined, string][]} rows @returns {HTMLElement} */
function table(rows) {
  const list = element("dl");
  for (const [name, schema, note] of rows) {
    const what = element("dd");
    what.append(...type(schema), note ? ` ${note}` : "");
    list.append(element("dt", name), what);
  }
  return list;
}

/** @param {string} method @param {string} path @param {Schema} call @returns {HTMLElement} */
function shown(method, path, call) {
  const section = element("section");
  section.append(element("h3", `${method.toUpperCase()} ${path}`), element("p", call.description ?? call.summary));
  /** @type {[string, Schema | undefined, string][]} */
  const rows = (call.parameters ?? []).map((/** @type {Schema} */ each) =>
    [each.name, each.schema, each.required ? "" : `(${JSON.stringify(each.schema.default ?? null)})`]);
  const body = call.requestBody?.content?.["application/json"]?.schema;
  if (body) rows.push(["body", body, ""]);
  rows.push(["answer", call.responses?.["200"]?.content?.["application/json"]?.schema, ""]);
  section.append(table(rows));
  return section;
}

/** @returns {Promise<void>} */
async function show() {
  const answer = await fetch("/openapi.json");
  const api = await answer.json();
  const calls = /** @type {HTMLElement} */ (document.getElementById("calls"));
  calls.textContent = "";
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, call] of Object.entries(methods)) calls.append(shown(method, path, call));
  }
  const parts = /** @type {HTMLElement} */ (document.getElementById("parts"));
  for (const [name, schema] of Object.entries(/** @type {Record<string, Schema>} */ (api.components?.schemas ?? {}))) {
    const section = element("section", "", { id: name });
    section.append(element("h3", name), element("p", schema.description ?? ""));
    section.append(table(Object.entries(schema.properties ?? {}).map(([key, each]) => [key, each, ""])));
    parts.append(section);
  }
}

show();
