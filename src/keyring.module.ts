import { Global, Module } from '@nestjs/common';
import { Keyring } from './auth/secret-box.js';
import { Config } from './platform/config.js';

/** The keys that wrap stored secrets, from the configuration. */
@Global()
@Module({
  providers: [
    {
      provide: Keyring,
      useFactory: (config: Config): Keyring => {
        const { current, keys } = config.keyEncryption;
        return { current: { id: current, key: keys.get(current) as Buffer }, get: (id) => keys.get(id), ids: [...keys.keys()] };
      },
      inject: [Config],
    },
  ],
  exports: [Keyring],
})
export class KeyringModule {}
