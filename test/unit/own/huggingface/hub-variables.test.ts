import { expect, it } from 'vitest';
import { hubVariables } from '../../../../main/own/huggingface/hub-variables';

it('endpoint, token, cache, proxy and certificates reach the hub, and nothing else', () => {
  const passed = {
    ...{ HF_ENDPOINT: 'https://mirror.example', HF_TOKEN: 'hf_x', HF_HOME: '/cache', HF_HUB_OFFLINE: '1' },
    ...{ HUGGING_FACE_HUB_TOKEN: 'x', HUGGINGFACE_HUB_CACHE: '/x', TRANSFORMERS_OFFLINE: '1' },
    ...{ HTTPS_PROXY: 'http://proxy', no_proxy: 'localhost', SSL_CERT_FILE: '/ca.pem', XDG_CACHE_HOME: '/c' },
  };
  const others = { PYTHONPATH: '/evil', LD_PRELOAD: '/x.so', AWS_SECRET_ACCESS_KEY: 'x', MY_HF_TOKEN: 'x' };
  expect(hubVariables({ ...passed, ...others })).toEqual(passed);
});
