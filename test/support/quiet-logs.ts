import { Logger } from '@nestjs/common';

// What the code under test logs is asked for by the tests that care; TEST_LOGS=1 shows all of it.
if (!process.env.TEST_LOGS) Logger.overrideLogger(false);
