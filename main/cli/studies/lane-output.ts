import type { Output } from '../output';

/** Width of the live line, for all lanes together: a wrapped line cannot be erased. */
const mostLetters = 110;

interface LaneOutputs {
  /** Prefixes lines, and shares the live line. */
  lane(prefix: string): Output;
}

export function createLaneOutputs(output: Output): LaneOutputs {
  const moving = new Map<string, string>();
  const draw = (): void => {
    if (!output.live) return;
    const each = Math.max(0, Math.floor(mostLetters / Math.max(1, moving.size)) - 2);
    const parts = [...moving].sort(([one], [other]) => (one < other ? -1 : 1));
    output.rewrite(parts.map(([, text]) => text.slice(0, each)).join('  '));
  };
  return {
    lane: (prefix) => ({
      ...output,
      json: false,
      document: () => undefined,
      clearScreen: () => undefined,
      say: (text) => {
        moving.delete(prefix);
        if (output.live) output.rewrite('');
        for (const line of text.split('\n')) if (line.trim() !== '') output.say(`${prefix} ${line}`);
        if (moving.size > 0) draw();
      },
      rewrite: (line) => {
        const text = line.replace(/^\s*…\s*/, '').trim();
        if (text === '') moving.delete(prefix);
        else moving.set(prefix, `${prefix} ${text}`);
        draw();
      },
    }),
  };
}
