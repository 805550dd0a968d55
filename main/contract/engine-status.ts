export interface EngineStatus {
  readonly kind: 'local' | 'docker' | 'remote';
  readonly available: boolean;
  readonly version: string | null;
  /** Why it cannot be used, or what to know about it. */
  readonly note: string;
  readonly remedy: string | null;
}
