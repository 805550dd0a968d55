/** How far a pull or build is. */
export interface WorkProgress {
  /** 0 to 1; null while nothing is known. */
  readonly fraction: number | null;
  readonly text: string;
}
