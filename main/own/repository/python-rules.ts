/** What is wrong with a model.py, by its text. */
export interface CodeProblem {
  readonly line: number;
  readonly message: string;
  readonly remedy: string;
  readonly triton: string;
}

/** Without a class that it could have its functions of. */
const plainClass = /^class[ \t]+TritonPythonModel[ \t]*(?:\([ \t]*(?:object)?[ \t]*\))?[ \t]*:/m;

/**
 * What the Python backend refuses at the first request, as far as the text shows it; null where nothing was found. Nothing is
 * executed. Pure.
 */
export function codeProblem(text: string, path: string): CodeProblem | null {
  const found = plainClass.exec(text);
  if (found === null || /\bexecute\b/.test(text)) return null;
  return {
    line: text.slice(0, found.index).split('\n').length,
    message: 'TritonPythonModel has no function execute',
    remedy: 'Define execute(self, requests), which returns a response for each request.',
    triton: `Python model ${path} does not implement \`execute\` method.`,
  };
}
