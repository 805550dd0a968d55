const compare = (left: string, right: string): number => {
  const numbers = (version: string) => version.split('.').map(Number);
  const [a, b] = [numbers(left), numbers(right)];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

const holds: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
};

/**
 * The lines of a requirements file that hold for one Python version, without comments and markers. pip judges markers
 * by the Python that runs it, even where `--python-version` names another. Pure.
 * Knows the one form that `resources/requirements` uses, `python_version OP "X.Y"`; other markers are left to pip.
 */
export function requirementsFor(pythonVersion: string, text: string): string[] {
  return text.split('\n').flatMap((raw) => {
    const line = raw.replace(/(^|\s)#.*$/, '').trim();
    if (line === '') return [];
    const [, requirement, operator = '', version = ''] =
      /^([^;]+?)\s*;\s*python_version\s*(<=|>=|==|!=|<|>)\s*["']([\d.]+)["']$/.exec(line) ?? [];
    if (requirement === undefined) return [line];
    return holds[operator]?.(compare(pythonVersion, version)) === true ? [requirement] : [];
  });
}
