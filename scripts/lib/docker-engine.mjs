import { request } from 'node:http';

/** The default engine, where the tests look for one. */
export const dockerSocket = '/var/run/docker.sock';

/**
 * One request to the engine, without dockerode: this runs before anything is installed.
 * Resolves with status and text; `code` instead of a status when there is no answer, `silent` after `quietMs` without
 * a byte. `body` is a stream that is sent.
 */
export function engine(method, path, { body, quietMs = 5000, onText, socketPath = dockerSocket } = {}) {
  return new Promise((resolve) => {
    let text = '';
    let status = null;
    const end = (code) => {
      clearTimeout(timer);
      resolve({ status, text, code });
    };
    const sent = request({ socketPath, method, path: `/v1.40${path}` }, (answer) => {
      status = answer.statusCode;
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        timer.refresh();
        text += chunk;
        onText?.(chunk);
      });
      answer.once('end', () => end(null));
      answer.once('error', (error) => end(error.code ?? 'broken'));
    });
    const timer = setTimeout(() => {
      end('silent');
      sent.destroy();
    }, quietMs);
    sent.once('error', (error) => end(error.code ?? 'broken'));
    if (body === undefined) {
      sent.end();
      return;
    }
    sent.setHeader('Content-Type', 'application/x-tar');
    body.on('data', () => timer.refresh());
    body.once('error', (error) => {
      sent.destroy(error);
    });
    body.pipe(sent);
  });
}

/** null when the engine answers, else why not: the system's code, or the HTTP status. */
export async function engineProblem() {
  const { status, code } = await engine('GET', '/_ping');
  return status === 200 && code === null ? null : (code ?? `HTTP ${status}`);
}

export async function hasImage(reference) {
  const { status } = await engine('GET', `/images/${encodeURIComponent(reference)}/json`);
  return status === 200;
}

/** What went wrong with a pull or import: no answer, a refusal, or a failure that its stream tells of; null for none. */
export function engineFailure({ code, status, text }) {
  if (code !== null) return code;
  for (const line of text.split('\n')) {
    try {
      const { error, message } = JSON.parse(line);
      if (error ?? message) return error ?? message;
    } catch {
      // The last line may be cut.
    }
  }
  return status === 200 ? null : `HTTP ${status}`;
}
