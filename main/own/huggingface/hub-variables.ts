/** Of huggingface_hub (endpoint, token, cache, offline, timeouts) and of its HTTP client (proxy, certificates). */
const passed =
  /^(HF_\w+|HUGGING_?FACE_\w+|TRANSFORMERS_OFFLINE|XDG_CACHE_HOME|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE)$/i;

/** Variables that a call to the hub keeps of the environment. */
export const hubVariables = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => passed.test(name)));
