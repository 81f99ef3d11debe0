import { Global, Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { Keyring, openSecret, SecretBoxError, type SecretOwner, sealSecret } from './auth/secret-box.js';
import { SecretRewrapService } from './auth/secret-rewrap.service.js';
import { SealedColumns, SealingKeyMissing, SecretSealer } from './callbacks/secret-sealer.js';
import { Config } from './platform/config.js';

const webhookOwner = (appId: number, owner: string): SecretOwner => ({ purpose: 'webhook', appId, accessKey: owner });

/** The keys that wrap stored secrets, from the configuration, and who uses them where. */
@Global()
@Module({
  imports: [AuthModule],
  providers: [
    {
      provide: Keyring,
      useFactory: (config: Config): Keyring => {
        const { current, keys } = config.keyEncryption;
        return { current: { id: current, key: keys.get(current) as Buffer }, get: (id) => keys.get(id), ids: [...keys.keys()] };
      },
      inject: [Config],
    },
    {
      provide: SecretSealer,
      useFactory: (keyring: Keyring): SecretSealer => ({
        seal: (secret, appId, owner) => sealSecret(secret, webhookOwner(appId, owner), keyring),
        open: (box, appId, owner) => {
          try {
            return openSecret(box, webhookOwner(appId, owner), keyring);
          } catch (error) {
            throw error instanceof SecretBoxError && error.kekId !== undefined ? new SealingKeyMissing(error.kekId) : error;
          }
        },
      }),
      inject: [Keyring],
    },
    {
      provide: SealedColumns,
      useFactory: (sealed: SecretRewrapService): SealedColumns => ({
        add: ({ notWrappedBy, replace }) =>
          sealed.register({
            vital: false,
            notWrappedBy: async (...asked) =>
              (await notWrappedBy(...asked)).map(({ appId, owner, ...row }) => ({ ...row, owner: webhookOwner(appId, owner) })),
            replace,
          }),
      }),
      inject: [SecretRewrapService],
    },
  ],
  exports: [Keyring, SecretSealer, SealedColumns],
})
export class KeyringModule {}
