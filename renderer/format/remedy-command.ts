/** The command that a remedy quotes: "Type "sudo docker info" and …" -> "sudo docker info"; null where there is none. */
export function remedyCommand(remedy: string): string | null {
  // A single word in quotes is a name, not a command line.
  return /"([a-z][\w./-]* [^"]+)"/.exec(remedy)?.[1] ?? null;
}
