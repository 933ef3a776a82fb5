// Markup as a value: `html` makes what Preact draws of a template.

import htm from "./vendor/htm.mjs";
import { h } from "./vendor/preact.mjs";

export const html = htm.bind(h);
