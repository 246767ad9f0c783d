// Kubernetes parses manifests strictly, with the API server's own types: an unknown field or a wrong type is an
// error.
//
//	go run . FILE…
package main

import (
	"bytes"
	"fmt"
	"os"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	for _, path := range os.Args[1:] {
		src, err := os.ReadFile(path)
		if err == nil {
			err = check(src)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func check(src []byte) error {
	for i, document := range bytes.Split(src, []byte("\n---\n")) {
		var of meta.TypeMeta
		if err := yaml.Unmarshal(document, &of); err != nil {
			return err
		}
		known := map[string]any{
			"v1 ConfigMap": &core.ConfigMap{}, "v1 PersistentVolumeClaim": &core.PersistentVolumeClaim{},
			"v1 Service": &core.Service{}, "apps/v1 Deployment": &apps.Deployment{}, "batch/v1 Job": &batch.Job{},
			"policy/v1 PodDisruptionBudget": &policy.PodDisruptionBudget{},
		}
		as := known[of.APIVersion+" "+of.Kind]
		if as == nil {
			return fmt.Errorf("document %d is a %s of %s, which is not known here", i+1, of.Kind, of.APIVersion)
		}
		if err := yaml.UnmarshalStrict(document, as); err != nil {
			return fmt.Errorf("document %d, %s: %w", i+1, of.Kind, err)
		}
	}
	return nil
}
