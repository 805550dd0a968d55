const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends what was started in the same process group: nobody waits for it any more. */
function endGroup(): void {
  try {
    process.kill(-process.pid, 'SIGTERM');
  } catch {
    // Not the leader of a group: whoever started this process ends the rest.
  }
}

const state = { cut: false };

/** Whether somebody asked the bench to end. */
export const isCut = (): boolean => state.cut;

/**
 * Works until the work is done or the process is asked to end (Ctrl-C, kill): what was measured until then is still there,
 * to be written. What the work waits for is not waited for any more.
 * @returns true when it was cut
 */
export async function untilCut(work: () => Promise<void>): Promise<boolean> {
  const listener: { emit: () => void } = { emit: () => undefined };
  const asked = new Promise<void>((resolve) => {
    listener.emit = resolve;
  });
  const cut = () => {
    if (state.cut) return;
    state.cut = true;
    listener.emit();
    endGroup();
  };
  // They stay for good: the signal to the group comes back here.
  for (const name of signals) process.on(name, cut);
  const done = work();
  await Promise.race([done, asked]);
  if (state.cut) done.catch(() => undefined);
  else for (const name of signals) process.off(name, cut);
  return state.cut;
}

/** The line of a document whose measuring was cut. */
export const cutText = (done: string): readonly string[] => [
  `**Interrupted:** ${done}. The figures below are of these only, and are not judged.`,
  '',
];

/** To be called last: children that nobody waits for any more do not keep the process. */
export function exitWhenCut(): void {
  if (state.cut) process.exit(130);
}
