import { config } from 'zod';

// zod tries `new Function` to compile its parsers; under the window's policy that attempt is a reported violation.
config({ jitless: true });
