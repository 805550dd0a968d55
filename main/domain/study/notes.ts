/** Joins equal notes of several runs: "Runs 1, 2: …". */
export function createNotes() {
  const runs = new Map<string, number[]>();
  return {
    add: (number: number, notes: readonly string[]): void => {
      for (const note of notes) runs.set(note, [...(runs.get(note) ?? []), number]);
    },
    lines: (): readonly string[] =>
      [...runs].map(
        ([note, numbers]) => `Run${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}: ${note}`,
      ),
  };
}
