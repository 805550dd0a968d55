const quote = 0x22;
const backslash = 0x5c;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Lists and objects within each other; what servers and tools write has some ten. */
const mostDepth = 200;

function checkDepth(text: string): void {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === backslash) at += 1;
      else if (code === quote) quoted = false;
    } else if (code === quote) quoted = true;
    else if (opening.has(code)) {
      depth += 1;
      if (depth > mostDepth) throw new Error(`more than ${mostDepth} lists and objects within each other`);
    } else if (closing.has(code)) depth -= 1;
  }
}

/**
 * The value of a JSON text from outside. Its nesting is looked at before, as the parser keeps 50 bytes for each level and
 * whoever walks through the value one call. Throws an Error for a text that is no JSON or deeper than 200.
 */
export function parseJson(text: string): unknown {
  checkDepth(text);
  return JSON.parse(text) as unknown;
}
