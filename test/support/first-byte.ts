import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { meanInterval } from '../../main/domain/statistics';

const body = JSON.stringify({
  inputs: [
    { name: 'INPUT', datatype: 'FP32', shape: [1, 16], data: Array.from({ length: 16 }, (_, at) => at) },
  ],
});

/** Microseconds from the sent request to the head of its answer, by the client of Node.js on a connection that is kept. */
async function firstByteUs(agent: Agent, url: string): Promise<number> {
  const asked = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json' } });
  asked.end(body);
  await once(asked, 'finish');
  const sentMs = performance.now();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const us = 1000 * (performance.now() - sentMs);
  await buffer(answer);
  if (answer.statusCode !== 200) throw new Error(`${url} answers HTTP status ${answer.statusCode}`);
  return us;
}

/** By how much `via` answers later, microseconds: asked in turns, as its mean and the half width of its 95 % interval. */
export async function laterBy(
  [url, via]: readonly [string, string],
  pairs: number,
): Promise<{ readonly meanUs: number; readonly halfUs: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  const differences: number[] = [];
  try {
    for (let pair = 0; pair < pairs; pair += 1) {
      const direct = await firstByteUs(agent, url);
      differences.push((await firstByteUs(agent, via)) - direct);
    }
  } finally {
    agent.destroy();
  }
  const meanUs = differences.reduce((sum, value) => sum + value, 0) / pairs;
  return { meanUs, halfUs: meanInterval(differences) ?? 0 };
}
