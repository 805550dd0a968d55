const status = /(?:\w+: )?\[ONNXRuntimeError\] : \d+ : \w+ : |onnx runtime error \d+: /g;
const node = /Non-zero status code returned while running (\S+) node\. Name:'(.*?)' Status Message: /;
const place = /(?:[\w./+-]*\/)?[\w.+-]+\.(?:h|hpp|cc|cpp|cu|cuh):\d+ /;
const condition = /^\S.{0,300}? was false\. ?/;
const afterArguments = /^(?: const| noexcept| \[with [^\]]*\])*\s*/;

/** Text after a C++ function's argument list. */
function withoutSignature(text: string): string {
  const start = text.indexOf('(');
  const head = text.slice(0, Math.max(0, start));
  if (start === -1 || !(head.includes('::') || head.trim().includes(' '))) return text;
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    // "operator()(...)" has two pairs.
    if (depth === 0 && text[index + 1] !== '(') return text.slice(index + 1).replace(afterArguments, '');
  }
  return text;
}

function withoutPlace(text: string): string {
  const found = place.exec(text);
  if (found === null) return text;
  const after = withoutSignature(text.slice(found.index + found[0].length));
  const check = condition.exec(after)?.[0] ?? '';
  // A check without a message: use its condition.
  const words = after.slice(check.length) || check.trim();
  return `${text.slice(0, found.index)} ${words}`;
}

/** ONNX Runtime errors with the reason first, as the toolkit's `runtime_reason`; other text on one line. */
export function runtimeReason(error: string): string {
  const text = error.trim().replace(/\s+/g, ' ');
  const bare = text.replace(status, '');
  const found = node.exec(bare);
  if (found === null && bare === text && !place.test(bare)) return text;
  const end = found === null ? 0 : found.index + found[0].length;
  const head = found === null ? '' : bare.slice(0, found.index);
  const reason = withoutPlace(bare.slice(end)).trim().replace(/\s+/g, ' ').replace(/\.+$/, '');
  if (found === null) return reason;
  const name = found[2] === undefined || found[2] === '' ? '' : ` "${found[2]}"`;
  return `${head}${reason} (${found[1] ?? ''} node${name})`;
}
