import { Agent, request } from 'node:http';
import { z } from 'zod';

export interface Classified {
  readonly label: string;
  readonly score: number;
}

/** A server that classifies texts, and how it is asked. */
export interface Peer {
  readonly url: URL;
  readonly bodyOf: (text: string) => string;
  /** Throws where the answer has another form. */
  readonly read: (answer: unknown) => Classified;
}

const tritonSchema = z.looseObject({
  outputs: z.array(z.looseObject({ name: z.string(), data: z.array(z.unknown()) })),
});
const classifiedSchema = z.object({ label: z.string(), score: z.number() });

/** The pipeline on Triton: JSON tensors over HTTP. @param httpUrl of the server */
export const tritonPeer = (httpUrl: string, model: string): Peer => ({
  url: new URL(`/v2/models/${model}/infer`, httpUrl),
  bodyOf: (text) =>
    JSON.stringify({
      inputs: [{ name: 'TEXT', shape: [1, 1], datatype: 'BYTES', data: [text] }],
      outputs: [{ name: 'LABEL' }, { name: 'SCORE' }],
    }),
  read: (answer) => {
    const { outputs } = tritonSchema.parse(answer);
    const [label, score] = ['LABEL', 'SCORE'].map(
      (wanted) => outputs.find(({ name }) => name === wanted)?.data[0],
    );
    return classifiedSchema.parse({ label, score });
  },
});

/** The framework's pipeline behind `peers_server.py`. */
export const plainPeer = (port: number): Peer => ({
  url: new URL(`http://127.0.0.1:${port}/`),
  bodyOf: (text) => JSON.stringify({ text }),
  read: (answer) => classifiedSchema.parse(answer),
});

/** Sends one text over a connection of the agent. Throws for another status than 200, with the answer. */
function post({ url }: Peer, agent: Agent, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.once('error', reject);
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve(text);
        else
          reject(new Error(`${url.href} answered ${answer.statusCode ?? 'nothing'}: ${text.slice(0, 500)}`));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** The answer to each text, one request after the other. */
export async function classify(peer: Peer, texts: readonly string[]): Promise<readonly Classified[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: Classified[] = [];
  try {
    for (const text of texts) {
      answers.push(peer.read(JSON.parse(await post(peer, agent, peer.bodyOf(text)))));
    }
  } finally {
    agent.destroy();
  }
  return answers;
}

/** Texts with the label that each has to get. */
export interface Labelled {
  readonly text: string;
  readonly label: string;
}

export interface Level {
  readonly concurrency: number;
  readonly warmUpMs: number;
  readonly windowMs: number;
}

export interface Loaded {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  readonly requests: number;
  /** Answers whose label is another one. */
  readonly otherLabels: number;
}

/** The smallest of the values that 99 % of them do not exceed; NaN of none. */
function p99Of(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(0.99 * sorted.length) - 1)] ?? Number.NaN;
}

/**
 * A closed load: each client has a connection, and sends the next text once it has read the answer to the one before. What is
 * answered within the window counts, and its latency from before it was sent until its label was read.
 */
export async function load(
  peer: Peer,
  samples: readonly Labelled[],
  { concurrency, warmUpMs, windowMs }: Level,
  signal: AbortSignal,
): Promise<Loaded> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const bodies = samples.map(({ text, label }) => ({ body: peer.bodyOf(text), label }));
  const from = performance.now() + warmUpMs;
  const until = from + windowMs;
  const latencies: number[] = [];
  let otherLabels = 0;
  const client = async (number: number): Promise<void> => {
    // Each begins elsewhere, so that texts of different lengths are under way together.
    let next = Math.floor((number * bodies.length) / concurrency);
    for (;;) {
      const sample = bodies[next % bodies.length];
      const sent = performance.now();
      if (sample === undefined || sent >= until) return;
      signal.throwIfAborted();
      const { label } = peer.read(JSON.parse(await post(peer, agent, sample.body)));
      const read = performance.now();
      if (label !== sample.label) otherLabels += 1;
      if (read >= from && read < until) latencies.push(read - sent);
      next += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, (_, number) => client(number)));
  } finally {
    agent.destroy();
  }
  return {
    requestsPerSecond: latencies.length / (windowMs / 1000),
    p99Ms: p99Of(latencies),
    requests: latencies.length,
    otherLabels,
  };
}
