import { WorkbenchError } from '../../../contract/errors';
import { certificateRemedy } from '../../../triton/tls';

/**
 * Decides when a lost connection is one request's failure and when it is the end: nobody accepts a new one, or
 * one after the other is lost and no request succeeds in between.
 */
export class ReconnectPolicy {
  private everSucceeded = false;
  private losses = 0;

  constructor(
    private readonly where: string,
    private readonly connections: number,
  ) {}

  succeeded(): void {
    this.everSucceeded = true;
    this.losses = 0;
  }

  /** The error that ends the measuring, or null to connect anew. */
  lost(opened: boolean, reason: string): WorkbenchError | null {
    this.losses += 1;
    if (opened && this.losses <= 3 * this.connections) return null;
    return this.everSucceeded
      ? new WorkbenchError(
          'server-gone',
          `Triton at ${this.where} stopped responding during the measurement: ${reason}`,
          {
            where: this.where,
          },
        )
      : new WorkbenchError('server-unreachable', `Triton at ${this.where} cannot be measured: ${reason}`, {
          where: this.where,
          remedy: reason.includes('certificate')
            ? certificateRemedy
            : 'Check the address and the port; gRPC and HTTP use different ports.',
        });
  }
}
