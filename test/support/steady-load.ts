import { setTimeout as sleep } from 'node:timers/promises';

interface SteadyLoad {
  /** Ends it, waits for the last responses and gives what came of all requests. */
  stop(): Promise<{
    readonly sent: number;
    /** What was said of each request that was not answered with status 200. */
    readonly failed: readonly string[];
    /** Number of responses by the version that gave them. */
    readonly versions: Readonly<Record<string, number>>;
  }>;
}

interface Metadata {
  readonly inputs: readonly { readonly name: string; readonly datatype: string; readonly shape: number[] }[];
}

/** Sends requests of zeros over HTTP, each when it is due whether or not those before it were answered. */
export function sendSteadily(
  url: string,
  model: string,
  { perSecond }: { readonly perSecond: number },
): SteadyLoad {
  const state = { ended: false };
  const failed: string[] = [];
  const versions: Record<string, number> = {};
  const one = async (body: string): Promise<void> => {
    try {
      const response = await fetch(`${url}/v2/models/${model}/infer`, { method: 'POST', body });
      const text = await response.text();
      if (response.status !== 200) failed.push(text.slice(0, 300));
      const version = /"model_version":"(\d+)"/.exec(text)?.[1] ?? '?';
      versions[version] = (versions[version] ?? 0) + 1;
    } catch (error) {
      failed.push(String(error));
    }
  };
  const sending = (async () => {
    const { inputs } = (await (await fetch(`${url}/v2/models/${model}`)).json()) as Metadata;
    const body = JSON.stringify({
      inputs: inputs.map(({ name, datatype, shape }) => {
        const sizes = shape.map((size) => (size === -1 ? 1 : size));
        const count = sizes.reduce((product, size) => product * size, 1);
        return { name, datatype, shape: sizes, data: new Array<number>(count).fill(0) };
      }),
    });
    const all: Promise<void>[] = [];
    const start = performance.now();
    while (!state.ended) {
      all.push(one(body));
      await sleep(Math.max(0, start + (all.length * 1000) / perSecond - performance.now()));
    }
    await Promise.all(all);
    return all.length;
  })();
  return {
    stop: async () => {
      state.ended = true;
      return { sent: await sending, failed, versions };
    },
  };
}
