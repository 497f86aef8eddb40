import { GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import type { ReadParameters } from "./references.ts";

/** Parameters of the cloud's store, in the region the process runs in. */
export const readParameters: ReadParameters = async (names) => {
  const client = new SSMClient({ maxAttempts: 5 });
  try {
    const { Parameters = [] } = await client.send(
      new GetParametersCommand({ Names: [...names], WithDecryption: true }),
    );
    return new Map(Parameters.map(({ Name = "", Value = "" }) => [Name, Value]));
  } finally {
    client.destroy();
  }
};
