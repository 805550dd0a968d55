export const topicText = {
  'dynamic-batching': {
    title: 'Dynamic batching',
    paragraphs: [
      'Requests of several clients that wait at the same time are joined into one batch, executed together, and taken apart again. A GPU does a batch of 8 in much less than 8 times the time of one, so throughput rises.',
      'Static: only what a client itself puts into a request is a batch. Disabled: max_batch_size is 0 and the model sees the shape exactly as it is sent.',
      'The report’s “mean batch” shows whether it works: inference count divided by execution count.',
    ],
  },
  'preferred-sizes': {
    title: 'Preferred batch sizes',
    paragraphs: [
      'When the waiting requests make up one of these sizes, the batch is sent at once. A batch of another size waits for more until the longest wait is over.',
      'Give sizes only where the model is clearly faster at them, as TensorRT is at the sizes that it was tuned for. With none, Triton sends the largest batch that it can.',
      'No size may be larger than the largest batch.',
    ],
  },
  'queue-delay': {
    title: 'Longest wait for a batch',
    paragraphs: [
      'How long the oldest waiting request may be held back so that others can join its batch. 0 sends what is there as soon as an instance is free.',
      'A longer wait gives larger batches and more throughput, and adds at most itself to the latency. Begin well below the latency that you can afford.',
    ],
  },
  instances: {
    title: 'Instance groups',
    paragraphs: [
      'An instance is a copy of the model that executes one batch at a time. With two, one copies data while the other computes, and two batches can be in progress.',
      'Each has memory of its own. On a CPU they share the cores: instances × threads should not be more than there are.',
      'KIND_GPU puts the given number on every GPU that Triton sees, KIND_CPU on the processor.',
    ],
  },
  accelerators: {
    title: 'Accelerators',
    paragraphs: [
      'TensorRT: ONNX Runtime hands the graph to TensorRT, which builds an engine for this very GPU and precision. The first load takes minutes; requests are then fastest.',
      'CUDA: the backend’s own kernels. Mixed precision: TensorFlow’s own cast to FP16.',
      'All need a GPU, and NVIDIA’s images or a remote Triton. The CPU images contain only the Python backend.',
    ],
  },
  'cuda-graphs': {
    title: 'CUDA graphs',
    paragraphs: [
      'The launches of all kernels of one execution are recorded once and replayed as a whole. That saves the processor’s time between kernels, which shows with small batches and fast models.',
      'Each batch size is recorded for itself, takes memory, and makes loading longer. Shapes must not change between requests.',
    ],
  },
} as const;

export type Topic = keyof typeof topicText;
