import { protocol, type Session } from 'electron';
import { createAppFiles } from './app-files';
import { appScheme } from './origin';

/** Time that the scripts of the page, some hundred kilobytes, take to reach it. */
const bodySentMs = 30;

/** Before the app is ready: gives the scheme an origin of its own, like https. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** When the page has its document, and when it has the scripts that it begins with: this thread has time from then on. */
export interface Served {
  readonly document: Promise<void>;
  readonly scripts: Promise<void>;
}

function createSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

export async function serveApp(session: Session, folder: string): Promise<Served> {
  const answer = await createAppFiles(folder);
  const [document, scripts] = [createSignal(), createSignal()];
  let sending: NodeJS.Timeout | undefined;
  session.protocol.handle(appScheme, async (request) => {
    const { status, headers, body } = await answer(request.method, request.url);
    // The body goes out after the answer, by this same thread.
    if (request.url.endsWith('.js')) {
      clearTimeout(sending);
      sending = setTimeout(scripts.give, bodySentMs);
    } else setImmediate(document.give);
    return new Response(typeof body === 'string' || body === null ? body : new Uint8Array(body), {
      status,
      headers,
    });
  });
  return { document: document.given, scripts: scripts.given };
}
