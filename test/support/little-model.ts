/** Arguments of the preset resnet50 for little data that is hardly trained. */
export const littleArgs = { train_images: '20', val_images: '4', train_epochs: '1' } as const;

/**
 * Triton waits so long for a batch to fill: a level of a few requests at a time leaves the processors to the tests beside it,
 * and is steady after three windows.
 */
export const littleQueueDelayUs = '5000';

/**
 * Flags for `run resnet50 --profile quick` where it does not matter what is served. The preset's own training and its 300
 * samples take half of such a run; the runs that prove accuracy have them. With one thread: those of ONNX Runtime spin while
 * they wait for each other, and other tests use the processors.
 */
export const littleModel: readonly string[] = [
  ...Object.entries(littleArgs).flatMap(([name, value]) => ['--set', `model.args.${name}="${value}"`]),
  ...['--set', 'accuracy.thresholds.top1=0', '--set', 'configure.threads=1'],
  ...['--set', `configure.maxQueueDelayUs=${littleQueueDelayUs}`],
];
