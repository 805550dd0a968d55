/** What a folder of runs must be named to be one. */
export const runIdPattern = /^[A-Za-z0-9][\w.-]{0,199}$/;

/** What was opened from outside the window: a run by its address, or a file of configuration. */
export type Opened =
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'configuration'; readonly fileName: string; readonly text: string };

const address = /^triton-workbench:\/\/run\/([^/?#]+)\/?$/;

/** The run that an address names; null where it is anything else. Web pages write addresses too: nothing is decoded. */
export function runIdOfAddress(text: string): string | null {
  const runId = address.exec(text)?.[1] ?? '';
  return runIdPattern.test(runId) ? runId : null;
}
