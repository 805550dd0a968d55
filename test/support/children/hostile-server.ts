import { createRandom } from '../../../main/domain/random';
import { startHostileGrpc } from '../hostile/hostile-grpc';
import { startHostileTriton } from '../hostile/hostile-triton';

/**
 * The hostile server as a process of its own. Arguments: seed, shortest and longest milliseconds of a misbehaviour. Says its
 * ports in one line, and after SIGTERM in another how often it answered how.
 */
async function main(): Promise<void> {
  const [seed = 0, leastMs = 0, mostMs = 0] = process.argv.slice(2).map(Number);
  const answered = new Map<string, number>();
  const onAnswer = (what: string) => {
    answered.set(what, (answered.get(what) ?? 0) + 1);
  };
  const options = { random: createRandom(seed), pace: { leastMs, mostMs }, onAnswer };
  const http = await startHostileTriton(options);
  const metrics = await startHostileTriton(options);
  const grpc = await startHostileGrpc(options);
  process.once('SIGTERM', () => {
    process.stdout.write(`${JSON.stringify(Object.fromEntries(answered))}\n`, () => process.exit(0));
  });
  process.stdout.write(`${JSON.stringify({ http: http.port, metrics: metrics.port, grpc: grpc.port })}\n`);
}

void main();
