import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anyBody, type Body, honestBodies, ownBodies, type Question, questions } from './hostile-bodies';
import { HostileSchedule, type Pace } from './hostile-schedule';
import { hostileWays } from './hostile-ways';

interface Misbehaviour {
  readonly name: string;
  readonly answer: (response: ServerResponse) => void;
}

const turnOf = (): number => Math.floor(Date.now() / 1000);

/** Sends the body whole; made once a second, however often it is asked for. */
function sending(body: Body, status = 200): (response: ServerResponse) => void {
  let made: { readonly turn: number; readonly bytes: Buffer } | null = null;
  return (response) => {
    const turn = turnOf();
    if (made?.turn !== turn) made = { turn, bytes: Buffer.from(body(turn)) };
    response.writeHead(status, { 'Content-Length': made.bytes.length });
    response.end(made.bytes);
  };
}

const outputBytes = 16;

function answerInference(response: ServerResponse): void {
  const json = JSON.stringify({
    ...{ model_name: 'probed', model_version: '1' },
    outputs: [
      { name: 'OUTPUT', datatype: 'FP32', shape: [4], parameters: { binary_data_size: outputBytes } },
    ],
  });
  response.writeHead(200, {
    'Inference-Header-Content-Length': json.length,
    'Content-Length': json.length + outputBytes,
  });
  response.end(Buffer.concat([Buffer.from(json), Buffer.alloc(outputBytes)]));
}

const honest = (question: Question): Misbehaviour => ({
  name: 'honest',
  answer: question === 'infer' ? answerInference : sending(honestBodies[question]),
});

/** How often a question is answered as Triton does: most of the others only matter where these are. */
const honestShare: Readonly<Record<Question, number>> = {
  ...{ ready: 0.7, server: 0.3, index: 0.2, statistics: 0.2 },
  ...{ metrics: 0.1, model: 0.6, config: 0.6, infer: 0.3 },
};

function misbehavioursOf(question: Question): Misbehaviour[] {
  const bodies = { ...anyBody, ...ownBodies[question] };
  return [
    ...Object.entries(hostileWays).map(([name, answer]) => ({ name, answer })),
    ...Object.entries(bodies).map(([name, body]) => ({ name, answer: sending(body) })),
    { name: 'a status of 500', answer: sending(anyBody['an error that steers'] ?? (() => ''), 500) },
    { name: 'not found', answer: sending(() => '', 404) },
  ];
}

function questionOf(path: string): Question {
  if (path.startsWith('/v2/health')) return 'ready';
  if (path.endsWith('/infer')) return 'infer';
  if (path.endsWith('/index')) return 'index';
  if (path.endsWith('/stats')) return 'statistics';
  if (path.endsWith('/config')) return 'config';
  if (path.startsWith('/v2/models/')) return 'model';
  return path === '/v2' ? 'server' : 'metrics';
}

/** A server on loopback that answers as Triton does, and most of the time as no server should. */
export async function startHostileTriton(options: {
  readonly random: () => number;
  readonly pace: Pace;
  readonly onAnswer: (what: string) => void;
}): Promise<{ readonly port: number }> {
  const schedules = new Map(
    questions.map((question) => {
      const usual = { choice: honest(question), share: honestShare[question] };
      const { random, pace } = options;
      return [question, new HostileSchedule(misbehavioursOf(question), usual, pace, random)];
    }),
  );
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const question = questionOf(request.url ?? '/');
    const chosen = schedules.get(question)?.now(performance.now());
    if (chosen === undefined) return;
    options.onAnswer(`${question}: ${chosen.name}`);
    chosen.answer(response);
  };
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    request.on('error', () => undefined);
    request.resume();
    request.once('end', () => {
      answer(request, response);
    });
  });
  server.on('clientError', (_error, socket) => {
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port };
}
