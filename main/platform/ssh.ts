/** A machine as the ssh program reaches it. */
export interface SshTarget {
  /** "[user@]host", where host may be a name of ssh's own configuration. */
  readonly destination: string;
  /** null: as ssh's own configuration has it. */
  readonly port: number | null;
}
