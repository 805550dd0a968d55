import { protocol, type Session } from 'electron';
import { createAppFiles } from './app-files';
import { appScheme } from './origin';

/** Time that the script of the page, a megabyte, takes to reach it. */
const bodySentMs = 30;

/** Before the app is ready: gives the scheme an origin of its own, like https. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the built pages of `folder` to the session. The returned promise holds when the page has its script. */
export async function serveApp(
  session: Session,
  folder: string,
): Promise<{ readonly scriptServed: Promise<void> }> {
  const answer = await createAppFiles(folder);
  return {
    scriptServed: new Promise((resolve) => {
      session.protocol.handle(appScheme, async (request) => {
        const { status, headers, body } = await answer(request.method, request.url);
        // The body goes out after the answer, by this same thread.
        if (request.url.endsWith('.js')) setTimeout(resolve, bodySentMs);
        return new Response(typeof body === 'string' || body === null ? body : new Uint8Array(body), {
          status,
          headers,
        });
      });
    }),
  };
}
