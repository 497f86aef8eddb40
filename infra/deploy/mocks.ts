/** What the engine asks for a resource, and for a look-up. */
interface Asked {
  readonly type: string;
  readonly name: string;
  readonly token: string;
  readonly inputs: any;
}

interface Mocks {
  readonly newResource: (asked: Asked) => { id: string; state: object };
  readonly call: (asked: Asked) => object;
}

/** A resource as the graph asked for it. */
export interface Recorded {
  readonly type: string;
  readonly name: string;
  readonly inputs: any;
}

/** Answers for resources and look-ups, as an account would give them. */
export const mocks = (): { readonly recorded: Recorded[]; readonly runtime: Mocks } => {
  const recorded: Recorded[] = [];
  return {
    recorded,
    runtime: {
      newResource: ({ type, name, inputs }) => {
        recorded.push({ type, name, inputs });
        const arn = `arn:${type}:${name}`;
        const state = {
          ...inputs,
          arn,
          name: inputs.name ?? name,
          url: `https://${name}.example.com`,
          functionUrl: `https://${name}.lambda-url.example.com/`,
          bucket: inputs.bucket ?? name.toLowerCase(),
          address: `${name}.db.example.com`,
          port: 5432,
          endpoint: `${name}.db.example.com:5432`,
          result: `generated-${name}`,
          base64: Buffer.alloc(32, 1).toString("base64"),
          domainName: `${name}.example.com`,
          bucketRegionalDomainName: `${name}.s3.example.com`,
          dnsName: `${name}.elb.example.com`,
          identifier: name,
          ids: [],
          ref: `image-${name}`,
          domainValidationOptions: [{ resourceRecordName: "a", resourceRecordType: "CNAME", resourceRecordValue: "b" }],
          tagsAll: {},
        };
        return { id: `${name}-id`, state };
      },
      call: ({ token, inputs }) => {
        if (token.includes("getPolicyDocument")) return { ...inputs, json: JSON.stringify(inputs) };
        if (token.includes("getRegion")) return { region: "eu-central-1", name: "eu-central-1", id: "eu-central-1" };
        if (token.includes("getCallerIdentity")) return { accountId: "123456789012" };
        if (token.includes("getPartition")) return { partition: "aws", dnsSuffix: "amazonaws.com" };
        if (token.includes("getAvailabilityZones"))
          return { names: ["eu-central-1a", "eu-central-1b"], zoneIds: ["a", "b"], ids: ["a"] };
        return { ...inputs, id: "found", zoneId: "Z1", ids: ["found"], arn: `arn:${token}`, names: [] };
      },
    },
  };
};

/** Resolves when nothing more was asked for during five seconds: what hangs on outputs is made later than the program ends. */
export const quiet = async (recorded: readonly Recorded[]): Promise<void> => {
  for (let before = -1; before !== recorded.length;) {
    before = recorded.length;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  }
};
