import type { Outcomes } from '../../../domain/measured/overload/timeline';

const firstRoom = 4096;

/** What each request of a window came to; 17 bytes each. */
export class OutcomeRecorder {
  private dueUs = new Float64Array(firstRoom);
  private latencyUs = new Float64Array(firstRoom);
  private kinds = new Uint8Array(firstRoom);
  private count = 0;
  private originUs = 0;

  /** @param originUs start of the first window */
  begin(originUs: number): void {
    this.originUs = originUs;
    this.count = 0;
  }

  add(dueUs: number, endUs: number, kind: number): void {
    if (this.count === this.kinds.length) this.grow();
    this.dueUs[this.count] = Math.max(0, dueUs - this.originUs);
    this.latencyUs[this.count] = Math.max(0, endUs - dueUs);
    this.kinds[this.count] = kind;
    this.count += 1;
  }

  /** A copy. */
  data(): Outcomes {
    const { dueUs, latencyUs, kinds, count } = this;
    return {
      dueUs: dueUs.slice(0, count),
      latencyUs: latencyUs.slice(0, count),
      kinds: kinds.slice(0, count),
    };
  }

  private grow(): void {
    const { dueUs, latencyUs, kinds } = this;
    const room = 2 * kinds.length;
    this.dueUs = new Float64Array(room);
    this.dueUs.set(dueUs);
    this.latencyUs = new Float64Array(room);
    this.latencyUs.set(latencyUs);
    this.kinds = new Uint8Array(room);
    this.kinds.set(kinds);
  }
}
