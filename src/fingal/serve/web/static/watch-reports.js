// @ts-check
/** The reports: pages below the runs folder, opened by themselves and without a way to this one. */

import { api } from "./api.js";
import { h } from "./dom.js";
import { ago } from "./lobby.js";
import { complain } from "./ui.js";

/** @typedef {{name: string, title: string, changed: number, bytes: number}} Report */

/** @param {HTMLElement} container */
export function mountReports(container) {
  const list = h("ul", { class: "reports" });
  container.append(list);
  api("reports").then(({ reports }) => {
    if (!reports.length) {
      container.append(h("div", { class: "nothing" },
        h("p", { text: "There are no reports here yet." }),
        h("p", {}, h("code", { text: "fingal report" }), " and ", h("code", { text: "fingal reproduce" }), " write pages; those below the runs folder are listed here.")));
    }
    list.replaceChildren(...reports.map(entry));
  }, complain);
  return () => {};
}

/** @param {Report} report */
function entry({ name, title, changed, bytes }) {
  const address = `/reports/${name.split("/").map(encodeURIComponent).join("/")}`;
  return h("li", {}, h("a", { href: address, target: "_blank", rel: "noopener noreferrer" },
    h("b", { text: title }),
    h("small", { text: `${name} · ${ago(changed)} · ${bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`} · opens by itself` })));
}
