import { LatencyHistogram } from '../../latency-histogram';
import type { ResponseTimes } from '../seam/transport';
import type { RecordedAnswers } from '../seam/worker-messages';

/** When the answers to requests came that may have several, in memory that does not grow with their count. */
export class ResponseRecorder {
  private readonly first = new LatencyHistogram();
  private readonly between = new LatencyHistogram();
  private readonly final = new LatencyHistogram();
  private count = 0;
  private fewest = Infinity;
  private most = 0;

  clear(): void {
    this.first.clear();
    this.between.clear();
    this.final.clear();
    this.count = 0;
    this.fewest = Infinity;
    this.most = 0;
  }

  /** The answers to one request; a request without any counts for the final one alone. */
  add(startUs: number, { contentUs, finalUs }: ResponseTimes): void {
    this.final.add(finalUs - startUs);
    this.count += contentUs.length;
    this.fewest = Math.min(this.fewest, contentUs.length);
    this.most = Math.max(this.most, contentUs.length);
    let before = -1;
    for (const atUs of contentUs) {
      if (before < 0) this.first.add(atUs - startUs);
      else this.between.add(atUs - before);
      before = atUs;
    }
  }

  /** A plain value that may cross threads; shares the counts. */
  data(): RecordedAnswers {
    return {
      first: this.first.data(),
      between: this.between.data(),
      final: this.final.data(),
      count: this.count,
      fewest: this.fewest === Infinity ? 0 : this.fewest,
      most: this.most,
    };
  }
}
