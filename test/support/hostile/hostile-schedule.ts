/** Milliseconds that one misbehaviour lasts, shortest and longest. */
export interface Pace {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Says what is done now: one after the other of `choices` in a random order, and `usual` between them by its share. */
export class HostileSchedule<Choice> {
  private left: Choice[] = [];
  private current: Choice;
  private untilMs = -Infinity;

  constructor(
    private readonly choices: readonly Choice[],
    private readonly usual: { readonly choice: Choice; readonly share: number },
    private readonly pace: Pace,
    private readonly random: () => number,
  ) {
    this.current = usual.choice;
  }

  now(nowMs: number): Choice {
    if (nowMs < this.untilMs) return this.current;
    const { random, usual, pace } = this;
    this.untilMs = nowMs + pace.leastMs + random() * (pace.mostMs - pace.leastMs);
    this.current = random() < usual.share ? usual.choice : this.next();
    return this.current;
  }

  private next(): Choice {
    if (this.left.length === 0) this.left = [...this.choices];
    const [choice] = this.left.splice(Math.floor(this.random() * this.left.length), 1);
    return choice ?? this.usual.choice;
  }
}
