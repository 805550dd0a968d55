import { addEveryVerb } from '../../../main/cli/every-verb';
import { commandsOf, pathOf } from '../../../main/cli/help/command-tree';
import { helpPage } from '../../../main/cli/help/help-page';
import { type PrebuiltHelp, prebuiltHelpFile } from '../../../main/cli/help/prebuilt-help';
import { createOutput } from '../../../main/cli/output';
import { createProgram } from '../../../main/cli/program';

const unasked = () => Promise.reject(new Error('help asks for no core'));

/** The help of every command. The version is not in it. */
export function prebuiltHelp(): PrebuiltHelp {
  const context = {
    ...{ core: unasked, reading: unasked, exit: () => undefined },
    output: () => createOutput(false),
  };
  const program = createProgram(context, '', (verbs, given) => {
    addEveryVerb(verbs, given, { docs: '', openWindow: unasked });
  });
  return Object.fromEntries([program, ...commandsOf(program)].map((one) => [pathOf(one), helpPage(one)]));
}

interface Emitter {
  emitFile(file: { readonly type: 'asset'; readonly fileName: string; readonly source: string }): unknown;
}

/** Vite plugin: writes the help as JSON beside the bundles. */
export const writePrebuiltHelp = () => ({
  name: 'prebuilt-help',
  generateBundle(this: Emitter): void {
    this.emitFile({ type: 'asset', fileName: prebuiltHelpFile, source: JSON.stringify(prebuiltHelp()) });
  },
});
