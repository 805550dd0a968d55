export const topicText = {
  'dynamic-batching': {
    title: 'Dynamic batching',
    paragraphs: [
      'Requests from several clients that wait at the same time are combined into one batch, executed together, and split again. A GPU executes a batch of 8 in much less than 8 times the time of one, so throughput rises.',
      'Static: only the items of one client request form a batch. Disabled: max_batch_size is 0, and the model sees the shape exactly as it is sent.',
      'The report’s “mean batch” shows whether it works: inference count divided by execution count.',
    ],
  },
  'preferred-sizes': {
    title: 'Preferred batch sizes',
    paragraphs: [
      'When the waiting requests add up to one of these sizes, the batch is sent at once. A batch of another size waits for more until the longest wait is over.',
      'Set sizes only if the model is clearly faster at them, as TensorRT is at the sizes that it was tuned for. Without sizes, Triton sends the largest possible batch.',
      'No size may be larger than the largest batch.',
    ],
  },
  'queue-delay': {
    title: 'Longest wait for a batch',
    paragraphs: [
      'How long the oldest waiting request may be held back so that others can join its batch. With 0, waiting requests are sent as soon as an instance is free.',
      'A longer wait gives larger batches and more throughput, and adds at most its own length to the latency. Start well below the latency that you can accept.',
    ],
  },
  instances: {
    title: 'Instance groups',
    paragraphs: [
      'An instance is a copy of the model that executes one batch at a time. With two, one copies data while the other computes, and two batches can be in progress.',
      'Each has its own memory. On a CPU, instances share the cores: instances × threads should not exceed the number of cores.',
      'KIND_GPU puts the given number on every GPU that Triton sees, KIND_CPU on the processor.',
    ],
  },
  accelerators: {
    title: 'Accelerators',
    paragraphs: [
      'TensorRT: ONNX Runtime passes the graph to TensorRT, which builds an engine for this GPU and precision. The first load takes minutes; requests are then fastest.',
      'CUDA: the backend’s own kernels. Mixed precision: TensorFlow’s own cast to FP16.',
      'All need a GPU, and NVIDIA’s images or a remote Triton. The CPU images contain only the Python backend.',
    ],
  },
  'cuda-graphs': {
    title: 'CUDA graphs',
    paragraphs: [
      'The launches of all kernels of one execution are recorded once and replayed as a whole. That saves CPU time between kernels, which matters with small batches and fast models.',
      'Each batch size is recorded separately, takes memory, and makes loading longer. Shapes must not change between requests.',
    ],
  },
} as const;

export type Topic = keyof typeof topicText;
