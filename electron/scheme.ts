import type { Session } from 'electron';
import { protocol } from 'electron';
import { createAppFiles } from './app-files';
import { appScheme } from './origin';

/** Before the app is ready: gives the scheme an origin of its own, like https. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the built pages of `folder` to the session. */
export async function serveApp(session: Session, folder: string): Promise<void> {
  const answer = await createAppFiles(folder);
  session.protocol.handle(appScheme, async (request) => {
    const { status, headers, body } = await answer(request.method, request.url);
    return new Response(typeof body === 'string' || body === null ? body : new Uint8Array(body), {
      status,
      headers,
    });
  });
}
