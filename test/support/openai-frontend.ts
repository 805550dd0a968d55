import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';

interface Asked {
  readonly model: string;
  readonly messages?: readonly { readonly content: string }[];
  readonly prompt?: string;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly stream_options?: { readonly include_usage?: boolean };
}

export interface OpenaiFrontend {
  readonly address: string;
  /** Bodies of the requests, in the order of their arrival. */
  readonly asked: readonly Asked[];
  /** Texts of each answered request. */
  readonly texts: readonly (readonly string[])[];
  close(): Promise<void>;
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return text;
}

/** The texts of Triton's generate_stream as they come. Throws the server's error. */
async function* tokensOf(triton: string, asked: Asked, prompt: string) {
  const tokens = asked.max_completion_tokens ?? asked.max_tokens ?? 4;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      `http://${triton}/v2/models/${asked.model}/generate_stream`,
      { method: 'POST', headers: { 'content-type': 'application/json' } },
      resolve,
    );
    sent.once('error', reject);
    sent.end(JSON.stringify({ text_input: prompt, stream: true, max_tokens: tokens }));
  });
  if (answer.statusCode !== 200) throw new Error(await bodyOf(answer));
  for await (const line of createInterface({ input: answer })) {
    if (!line.startsWith('data: ')) continue;
    const event = JSON.parse(line.slice(6)) as { readonly text_output?: string; readonly error?: string };
    if (event.error !== undefined) throw new Error(event.error);
    yield event.text_output ?? '';
  }
}

async function answer(
  triton: string,
  path: string,
  asked: Asked,
  response: ServerResponse,
): Promise<string[]> {
  const isChat = path === '/v1/chat/completions';
  const prompt = asked.prompt ?? asked.messages?.at(-1)?.content ?? '';
  const head = {
    id: 'one',
    object: isChat ? 'chat.completion.chunk' : 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model: asked.model,
  };
  const send = (event: object) => response.write(`data: ${JSON.stringify({ ...head, ...event })}\n\n`);
  const texts: string[] = [];
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  if (isChat) send({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }], usage: null });
  try {
    for await (const text of tokensOf(triton, asked, prompt)) {
      texts.push(text);
      send({ choices: [{ index: 0, ...(isChat ? { delta: { content: text } } : { text }) }], usage: null });
      if (prompt.includes('close') && texts.length === 2) {
        response.destroy();
        return texts;
      }
    }
  } catch (error) {
    send({ error: { message: String(error instanceof Error ? error.message : error) } });
  }
  if (asked.stream_options?.include_usage === true && !prompt.includes('uncounted'))
    send({ choices: [], usage: { prompt_tokens: 1, completion_tokens: texts.length } });
  response.end(prompt.includes('unfinished') ? undefined : 'data: [DONE]\n\n');
  return texts;
}

/**
 * A thin server of OpenAI's protocol in front of a Triton, in place of Triton's own frontend, which needs its Python
 * package. A prompt with "close" closes the connection after two tokens, one with "unfinished" leaves out [DONE], and one
 * with "uncounted" the usage.
 */
export async function startOpenaiFrontend(triton: string): Promise<OpenaiFrontend> {
  const asked: Asked[] = [];
  const texts: string[][] = [];
  const server = createServer((incoming, response) => {
    const { url: path = '' } = incoming;
    if (path === '/v1/models') {
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'lm', object: 'model' }] }));
      return;
    }
    if (incoming.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    void bodyOf(incoming).then(async (body) => {
      const one = JSON.parse(body) as Asked;
      asked.push(one);
      if (one.model === 'lm') texts.push(await answer(triton, path, one, response));
      else {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: `Unknown model: ${one.model}` } }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const found = server.address();
  const port = found !== null && typeof found === 'object' ? found.port : 0;
  return {
    address: `127.0.0.1:${port}`,
    asked,
    texts,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
