/** What is recognized and not exported; `message` is a sentence without its full stop. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}
