// Command viper is a service that leaves its configuration to viper: WatchConfig reads it again by itself.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/spf13/viper"
)

func main() {
	viper.SetConfigFile(os.Args[1])
	if err := viper.ReadInConfig(); err != nil {
		log.Fatal(err)
	}
	viper.WatchConfig()
	log.Fatal(http.ListenAndServe(os.Args[2], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, viper.GetString("name"))
	})))
}
