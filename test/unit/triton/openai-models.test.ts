import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { listOpenaiModels } from '../../../main/triton/openai-models';
import { rejection } from '../../support/rejection';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that answers everything alike. */
async function addressOf(status: number, body: string): Promise<string> {
  const started = createServer((request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-path': request.url ?? '' });
    response.end(body);
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const list = async (status: number, body: string) =>
  listOpenaiModels(await addressOf(status, body), { timeoutMs: 5000 });

describe('the models of a server of OpenAI’s protocol', () => {
  it('are those of its list', async () => {
    expect(await list(200, '{"object": "list", "data": [{"id": "a"}, {"id": "b"}]}')).toEqual(['a', 'b']);
  });

  it.each([
    [404, '{"error": "Not Found"}', 'Not Found'],
    [200, '{"models": []}', 'not of that form'],
    [200, 'hello', 'not of that form'],
  ])('are not known of another server: %i %s', async (status, body, message) => {
    expect(await rejection(list(status, body))).toMatchObject({
      code: 'server-unreachable',
      message: expect.stringContaining(message) as unknown,
    });
  });
});
