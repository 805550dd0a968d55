export const runIdPattern = /^[A-Za-z0-9][\w.-]{0,199}$/;
export const studyNamePattern = /^\w[\w.-]{0,39}$/;

export type Opened =
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'configuration'; readonly fileName: string; readonly text: string };

const address = /^triton-workbench:\/\/run\/([^/?#]+)\/?$/;

/** null for other addresses. Web pages can open addresses too: nothing is decoded. */
export function runIdOfAddress(text: string): string | null {
  const runId = address.exec(text)?.[1] ?? '';
  return runIdPattern.test(runId) ? runId : null;
}
